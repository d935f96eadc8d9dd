"""The TorchScript exporter's writer: nodes as that exporter's shape inference needs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx.reference import ReferenceEvaluator

from onnxop_runtime.exporting.rules import symbolic_registry
from onnxop_runtime.exporting.rules.torchscript_writer import TorchScriptWriter

from .graphs import exported, op_types
from .samples import OPSET

pytestmark = pytest.mark.filterwarnings("ignore")
X = torch.arange(6.0).reshape(2, 3)

Write = Callable[[TorchScriptWriter, torch.Value], torch.Value]


def written(write: Write, x: torch.Tensor = X, **options: Any) -> onnx.ModelProto:
    """Return a model with the nodes that a function writes."""

    def symbolic(g: Any, value: torch.Value) -> torch.Value:
        return write(TorchScriptWriter(g, g.opset), value)

    symbolic_registry.register_symbolic("aten::asinh", symbolic, OPSET)
    try:
        return exported(torch.asinh, x, dynamo=False, **options)
    finally:
        symbolic_registry.unregister_symbolic("aten::asinh", OPSET)


def result(model: onnx.ModelProto, x: torch.Tensor = X) -> np.ndarray[Any, Any]:
    [value] = ReferenceEvaluator(model).run(None, {model.graph.input[0].name: x.numpy()})
    assert isinstance(value, np.ndarray)
    return value


def test_a_transpose_gets_its_permutation() -> None:
    model = written(lambda writer, x: writer.node("Transpose", x))
    [node] = model.graph.node
    assert [*node.attribute[0].ints] == [1, 0]
    assert result(model).shape == (3, 2)


def test_a_slice_gets_its_axes() -> None:
    def part(writer: TorchScriptWriter, x: torch.Value) -> torch.Value:
        starts, ends = writer.tensor([0, 1], "INT64"), writer.tensor([1, 3], "INT64")
        sliced: torch.Value = writer.node("Slice", x, starts, ends)
        return sliced

    assert result(written(part)).tolist() == [[1, 2]]


def test_a_part_of_a_shape_is_a_slice() -> None:
    def part(writer: TorchScriptWriter, x: torch.Value) -> torch.Value:
        last = writer.node("Shape", x, start=-1)
        return writer.cast(last, torch.float32)

    options: dict[str, Any] = {"input_names": ["x"], "dynamic_axes": {"x": [0, 1]}}
    model = written(part, **options)
    assert {"Shape", "Slice"} <= {*op_types(model)}
    assert result(model).tolist() == [3]


def test_a_constant_of_numbers_is_a_tensor() -> None:
    model = written(
        lambda writer, x: writer.node("Add", x, writer.node("Constant", value_float=0.5))
    )
    assert result(model).tolist() == (X + 0.5).tolist()


def test_zeros_that_a_reshape_would_copy() -> None:
    empty = torch.ones(0, 3)

    def reshaped(*shape: int) -> Write:
        return lambda writer, x: writer.node("Reshape", x, writer.tensor([*shape], "INT64"))

    assert result(written(reshaped(0, 3), empty), empty).shape == (0, 3)
    with pytest.raises(ValueError, match="without elements, to .*, which ONNX cannot express"):
        written(reshaped(0, -1), empty)


@pytest.mark.parametrize("axes", [[], [0], [0, 1]], ids=["static", "batch", "all"])
@pytest.mark.parametrize("shape", [(0, 3, 1), (0, 0, 1)])
def test_a_reshape_that_copies_sizes_and_infers_none(
    axes: list[int], shape: tuple[int, ...]
) -> None:
    """The exporter's shape inference takes zeros only beside a -1."""

    def reshaped(writer: TorchScriptWriter, x: torch.Value) -> torch.Value:
        copied: torch.Value = writer.node("Reshape", x, writer.tensor([*shape], "INT64"))
        return copied

    model = written(reshaped, input_names=["x"], dynamic_axes={"x": axes} if axes else None)
    for rows in [2, 5] if axes else [2]:
        x = torch.arange(3.0 * rows).reshape(rows, 3)
        assert result(model, x).tolist() == x[..., None].tolist()


def test_a_float64_number_stays() -> None:
    number = torch.tensor(1 / 3, dtype=torch.float64)

    def tripled(writer: TorchScriptWriter, x: torch.Value) -> torch.Value:
        product: torch.Value = writer.node(
            "Mul", x, writer.cast(writer.tensor(3, "INT64"), number.dtype)
        )
        return product

    model = written(tripled, number)
    assert result(model, number).dtype == np.float64


def test_a_missing_input_does_not_crash() -> None:
    model = written(lambda writer, x: writer.node("Clip", x, None, writer.constant(2.0, like=x)))
    assert result(model).max() == 2


def test_numbers() -> None:
    seen: list[Any] = []

    def look(writer: TorchScriptWriter, x: torch.Value) -> torch.Value:
        seen.extend([writer.number(x), writer.number(writer.tensor(2, "INT64")), writer.number(3)])
        seen.extend([writer.dtype(x), writer.element_type(x), writer.sizes(x)])
        return x

    written(look)
    assert seen == [None, 2, 3, torch.float32, "FLOAT", [2, 3]]


def test_a_type_that_pytorch_lacks() -> None:
    with pytest.raises(ValueError, match="cannot write 1 in the element type STRING"):
        written(lambda writer, x: writer.tensor(1, "STRING"))
