"""The dynamo exporter's table of rules."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import pytest
import torch

from onnxop_runtime.exporting.rules import translations

from .graphs import check_values, exported, op_types, registered
from .samples import asinh, context, existing

ASINH = torch.ops.aten.asinh.default
X = torch.linspace(-1, 1, 5)
pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_signature_is_the_schema_s() -> None:
    operator = existing("aten::sum.dim_IntList", "op.ReduceSum(self, dim, keepdims=keepdim)")
    signature = inspect.signature(translations.translation(operator))
    assert [*signature.parameters] == ["self", "dim", "keepdim", "dtype"]
    assert signature.parameters["dtype"].kind is inspect.Parameter.KEYWORD_ONLY
    assert signature.parameters["keepdim"].default is False
    annotations = translations.translation(operator).__annotations__
    assert annotations["dim"] == Sequence[int] | None
    assert annotations["keepdim"] is bool


def test_a_table_by_overload() -> None:
    zeta = existing("aten::special_zeta.default", "op.Add(self, other)")
    table = translations.translation_table([asinh(), zeta])
    packet = torch.ops.aten.special_zeta
    assert {*table} == {ASINH, packet.default, packet.other_scalar, packet.self_scalar}


def test_decomposed_operators_are_pytorch_s() -> None:
    assert not translations.translation_table([asinh(is_decomposed=True)])


def test_a_rule_for_torchscript_is_a_node_of_a_domain() -> None:
    operator = asinh(allows_dynamo=False)
    assert not translations.translation_table([operator])
    export = context(operator, domains={operator: "acme"})
    assert ASINH in translations.translation_table([operator], export)


def test_a_plain_export_by_the_table() -> None:
    with registered(asinh()):
        model = exported(torch.asinh, X, dynamo=True)
    assert op_types(model) == ["Asinh"]
    check_values(model, torch.asinh, X)


def test_the_caller_s_table_precedes() -> None:
    table = translations.translation_table([existing("aten::asinh.default", "op.Neg(self)")])
    with registered(asinh()):
        model = exported(torch.asinh, X, dynamo=True, custom_translation_table=table)
    assert op_types(model) == ["Neg"]


def test_two_packages_have_a_rule() -> None:
    with (
        registered(asinh(), asinh(owner="other_lib")),
        pytest.raises(ValueError, match="the packages my_lib and other_lib both have a rule"),
    ):
        exported(torch.asinh, X, dynamo=True)
