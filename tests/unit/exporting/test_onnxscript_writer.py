"""The dynamo exporter's writer, and what it shares with TorchScript's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx.reference import ReferenceEvaluator
from onnxscript import ir
from torch.onnx import OnnxExporterError

from onnxop_runtime.exporting.numbers import Computed
from onnxop_runtime.exporting.rules.onnxscript_writer import OnnxscriptWriter
from onnxop_runtime.mapping.writing import Body

from .graphs import exported
from .samples import OPSET

pytestmark = pytest.mark.filterwarnings("ignore")
X = torch.arange(6.0).reshape(2, 3)


def written(
    write: Callable[[OnnxscriptWriter, ir.Value], Any], x: torch.Tensor = X
) -> onnx.ModelProto:
    """Return a model with the nodes that a function writes."""

    def neg(self: Any) -> Any:
        return write(OnnxscriptWriter(OPSET), self)

    table = {torch.ops.aten.neg.default: neg}
    return exported(torch.neg, x, dynamo=True, custom_translation_table=table)


def result(model: onnx.ModelProto, x: torch.Tensor = X) -> np.ndarray[Any, Any]:
    [value] = ReferenceEvaluator(model).run(None, {model.graph.input[0].name: x.numpy()})
    assert isinstance(value, np.ndarray)
    return value


def test_types_and_sizes() -> None:
    seen: list[Any] = []

    def look(writer: OnnxscriptWriter, x: ir.Value) -> ir.Value:
        constant = writer.tensor([1, 2], "INT64")
        seen.extend([writer.dtype(x), writer.sizes(x), writer.sizes(constant)])
        cast = writer.cast(x, torch.float64)
        seen.extend([writer.element_type(cast), writer.known_sizes(ir.Value())])
        return writer.cast(cast, torch.float32)

    assert result(written(look)).tolist() == X.tolist()
    assert seen == [torch.float32, [2, 3], [2], "DOUBLE", None]


def test_a_tensor_of_unknown_rank_has_no_sizes() -> None:
    with pytest.raises(
        ValueError, match="needs the rank of a tensor, which the dynamo exporter does not"
    ):
        OnnxscriptWriter(OPSET).sizes(ir.Value())


def test_a_number_takes_the_type_of_a_tensor() -> None:
    model = written(lambda writer, x: writer.node("Mul", x, writer.constant(2, like=x)))
    assert result(model).tolist() == (2 * X).tolist()


def test_a_number_that_integers_cannot_hold() -> None:
    integers = torch.ones(2, dtype=torch.int32)
    with pytest.raises(OnnxExporterError) as raised:
        written(lambda writer, x: writer.constant(0.5, like=x), integers)
    assert "0.5 is combined with integers (INT32)" in str(raised.value)


def test_one_output_of_several() -> None:
    model = written(lambda writer, x: writer.node("TopK", x, writer.tensor([1], "INT64")))
    assert result(model).tolist() == [[2], [5]]


def test_bodies_are_subgraphs() -> None:
    def either(writer: OnnxscriptWriter, x: ir.Value) -> ir.Value:
        condition = writer.tensor(True, "BOOL")
        same = Body([], lambda: [writer.node("Identity", x)])
        negated = Body([], lambda: [writer.node("Neg", x)])
        chosen: ir.Value = writer.node("If", condition, then_branch=negated, else_branch=same)
        return chosen

    assert result(written(either)).tolist() == (-X).tolist()


def test_computed_numbers_are_gathered() -> None:
    def shaped(writer: OnnxscriptWriter, x: ir.Value) -> ir.Value:
        rows = writer.node("Gather", writer.node("Shape", x), writer.tensor(0, "INT64"), axis=0)
        shape = writer.constant([Computed("rows", rows), 3, 1], like="INT64")
        reshaped: ir.Value = writer.node("Reshape", x, shape)
        return reshaped

    assert result(written(shaped)).shape == (2, 3, 1)


def test_a_computed_number_needs_a_type() -> None:
    writer = OnnxscriptWriter(OPSET)
    with pytest.raises(ValueError, match="combined with a tensor of an unknown element type"):
        writer.constant(Computed("n", ir.Value()), like=ir.Value())


def test_attributes_are_known() -> None:
    with pytest.raises(ValueError, match="n is dynamic, but the rule needs a constant"):
        OnnxscriptWriter(OPSET).node("Softmax", ir.Value(), axis=Computed("n", ir.Value()))
