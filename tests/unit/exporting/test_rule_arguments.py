"""The values that exporters give to a rule."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from onnxop_runtime.exporting.numbers import Computed
from onnxop_runtime.exporting.rules import rule_arguments
from onnxop_runtime.operator.arguments import OperatorArgument

from .samples import existing

pytestmark = pytest.mark.filterwarnings("ignore")  # torch.jit.script is deprecated


def argument(type_name: str, *, is_list: bool = False) -> OperatorArgument:
    return OperatorArgument("a", type_name, is_list, False, False, False, None)


def test_values_get_names_and_defaults() -> None:
    operator = existing("aten::elu.default")
    assert rule_arguments.by_name(operator, ["x", 2.0]) == {
        "self": "x",
        "alpha": 2.0,
        "scale": 1,
        "input_scale": 1,
    }


@pytest.mark.parametrize("dtype", [torch.float16, 5], ids=["dynamo", "torchscript"])
def test_a_dtype_becomes_onnx_s_number(dtype: object) -> None:
    operator = existing("aten::sum.default")
    arguments = rule_arguments.by_name(operator, ["x", dtype])
    assert arguments == {"self": "x", "dtype": 10}


def test_an_argument_that_must_be_none() -> None:
    operator = existing("aten::sum.default", always_none=["dtype"])
    assert rule_arguments.by_name(operator, ["x", None]) == {"self": "x"}
    with pytest.raises(ValueError, match="can only be exported with dtype=None"):
        rule_arguments.by_name(operator, ["x", torch.float16])


def test_integers_that_dynamo_computes() -> None:
    size = object()
    integers = argument("int", is_list=True)
    known, computed = rule_arguments.of_dynamo(integers, [3, size])
    assert known == 3
    assert isinstance(computed, Computed)
    assert computed.value is size
    assert rule_arguments.of_dynamo(argument("int"), None) is None
    assert rule_arguments.of_dynamo(argument("float"), 0.5) == 0.5


def constants() -> dict[str, torch.Value]:
    """Return constants of a TorchScript graph, by their values as text."""
    scripted: Any = torch.jit.script(_constants)
    graph = scripted.inlined_graph
    nodes = [node for node in graph.nodes() if node.kind() == "prim::Constant"]
    return {str(node.output().toIValue()): node.output() for node in nodes}


def _constants() -> tuple[int, float, str, bool]:
    return 3, 0.5, "mean", True


@pytest.mark.parametrize(
    ("type_name", "value"), [("int", 3), ("float", 0.5), ("str", "mean"), ("bool", True)]
)
def test_constants_of_torchscript(type_name: str, value: object) -> None:
    constant = constants().get(str(value))
    parsed = rule_arguments.of_torchscript(argument(type_name), constant or value, "my::op")
    assert parsed == value
    assert type(parsed) is type(value) or type_name == "bool"


def test_no_value_of_torchscript() -> None:
    assert rule_arguments.of_torchscript(argument("Tensor"), None) is None
