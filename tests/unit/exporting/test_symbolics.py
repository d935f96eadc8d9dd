"""An operator's rule as a symbolic of the TorchScript exporter."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.onnx import errors

from onnxop_runtime.exporting.rules import symbolic_registry, symbolics

from .graphs import check_values, exported, op_types, registered
from .samples import OPSET, asinh, existing

X = torch.linspace(-1, 1, 5)
pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_symbolic_is_one_for_an_operator() -> None:
    operator = asinh()
    assert symbolics.symbolic(operator) is symbolics.symbolic(operator)


def test_results_have_the_names_of_the_schema() -> None:
    operator = existing(
        "aten::aminmax.default",
        "op.ReduceMin(self, keepdims=0), op.ReduceMax(self, keepdims=0)",
        results=["min", "max"],
    )

    def aminmax(x: Tensor) -> tuple[Tensor, Tensor]:
        return tuple(torch.aminmax(x))  # type: ignore[return-value]

    with registered(operator):
        model = exported(aminmax, X, dynamo=False)
    assert [value.name.partition(".")[0] for value in model.graph.output] == ["min", "max"]
    check_values(model, aminmax, X)


def test_a_used_result_that_the_mapping_leaves_out() -> None:
    operator = existing(
        "aten::aminmax.default",
        "op.ReduceMin(self, keepdims=0), None",
        results=["min", "max"],
    )
    with registered(operator):
        assert op_types(exported(lambda x: torch.aminmax(x).min, X, dynamo=False)) == ["ReduceMin"]
        with pytest.raises(ValueError, match=r"the model uses result max of aten::aminmax"):
            exported(lambda x: torch.aminmax(x).max, X, dynamo=False)


def test_a_refusal_names_the_operator() -> None:
    operator = existing("aten::frac.default", "op.Softmax(self, axis=self.shape[0])")

    def frac(x: Tensor) -> Tensor:
        return torch.frac(x)

    with registered(operator), pytest.raises(ValueError, match=r"^aten::frac: "):
        exported(frac, X, dynamo=False, input_names=["x"], dynamic_axes={"x": {0: "n"}})


def test_more_values_than_the_schema_has() -> None:
    def asinh_of_two(g: Any, *values: Any) -> Any:
        return symbolics.symbolic(asinh())(g, *values, *values)

    symbolic_registry.register_symbolic("aten::asinh", asinh_of_two, OPSET)
    try:
        with pytest.raises(errors.UnsupportedOperatorError, match="aten::asinh"):
            exported(torch.asinh, X, dynamo=False)
    finally:
        symbolic_registry.unregister_symbolic("aten::asinh", OPSET)
