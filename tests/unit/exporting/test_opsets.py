"""The opset versions at which each exporter can write an operator."""

from __future__ import annotations

import onnx
import pytest
from onnx import helper

from onnxop_runtime.exporting.rules import opsets
from onnxop_runtime.operator.model import Operator

from .samples import asinh, context, existing


def checked(operator: Operator, opset: int | None, *, dynamo: bool, domain: str = "") -> int:
    return opsets.checked([operator], dynamo, opset, {operator: domain})


def test_the_default_is_the_nearest_to_20() -> None:
    assert checked(asinh(), None, dynamo=True) == 20
    assert checked(asinh(), None, dynamo=False) == 20
    gelu = existing("aten::silu.default", "op.Swish(self)", opset=24)
    assert checked(gelu, None, dynamo=True) == 24


def test_a_requested_opset_stays() -> None:
    assert checked(asinh(), 19, dynamo=True) == 19


def test_an_opset_that_the_operator_lacks() -> None:
    with pytest.raises(
        ValueError,
        match=r"the TorchScript exporter writes aten::asinh at opsets 18 to 23, not 17; use "
        r"opset_version=18, or dynamo=True \(opsets 18 to 25\)",
    ):
        checked(asinh(), 17, dynamo=False)


def test_an_opset_that_the_exporter_lacks() -> None:
    with pytest.raises(ValueError, match="the dynamo exporter writes opsets 18 to 25, not 26"):
        opsets.checked([asinh(), asinh()], True, 26, {})


@pytest.mark.parametrize("opset", [True, "18", 18.0])
def test_an_opset_is_an_integer(opset: int) -> None:
    with pytest.raises(TypeError, match="opset_version must be an integer"):
        checked(asinh(), opset, dynamo=True)


def test_a_node_of_a_domain_has_the_exporter_s_opsets() -> None:
    operator = asinh(is_native=True)
    assert checked(operator, 9, dynamo=False, domain="acme") == 9


def test_an_operator_without_mapping_needs_a_domain() -> None:
    operator = existing("aten::asinh.default")
    with pytest.raises(
        ValueError, match="aten::asinh has no mapping to standard nodes; use domain="
    ):
        opsets.check_asked(operator, context(operator))
    opsets.check_asked(operator, context(operator, domains={operator: "my_lib"}))


def test_a_rule_for_one_exporter_names_the_other() -> None:
    operator = asinh(allows_dynamo=False)
    with pytest.raises(ValueError, match="the dynamo exporter cannot write aten::asinh; use"):
        opsets.check_asked(operator, context(operator))
    opsets.check_asked(operator, context(operator, dynamo=False))


@pytest.mark.parametrize(("opset", "expected"), [(9, 4), (18, 8), (20, 9)])
def test_ir_version(opset: int, expected: int) -> None:
    graph = helper.make_graph([], "empty", [], [])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    assert opsets.ir_version(model) == expected
    model.functions.append(onnx.FunctionProto())
    assert opsets.ir_version(model) == max(expected, 8)
