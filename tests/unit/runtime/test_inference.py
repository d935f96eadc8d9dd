"""Shapes that ONNX infers with the values of sizes, within a limit of memory."""

from __future__ import annotations

import resource

import onnx
import pytest

from onnxop_runtime.inference import infer_with_sizes
from onnxop_runtime.processes import at_most_more_memory


def _model(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["": 18]>\ng {text}')


def test_sizes_have_values() -> None:
    model = _model("(float[2, 3] x) => (y) { s = Shape(x)\n y = ConstantOfShape(s) }")
    inferred = infer_with_sizes(model)
    assert inferred is not None
    dims = inferred.graph.output[0].type.tensor_type.shape.dim
    assert [dim.dim_value for dim in dims] == [2, 3]


@pytest.mark.parametrize(
    "nodes",
    [
        "n = Constant<value = int64 {1000000000000}>()\n r = Range(zero, n, one)",
        "n = Constant<value = int64[1] {1000000000000}>()\n r = ConstantOfShape(n)",
        # Only the values tell the length.
        "m = Constant<value = int64[1] {1000000}>()\n n = Mul(m, m)\n r = ConstantOfShape(n)",
    ],
)
def test_a_list_that_fits_no_memory(nodes: str) -> None:
    ends = "zero = Constant<value = int64 {0}>()\n one = Constant<value = int64 {1}>()"
    assert infer_with_sizes(_model(f"() => (y) {{ {ends}\n {nodes}\n y = Size(r) }}")) is None


def test_the_limit_is_taken_back() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(MemoryError), at_most_more_memory(1 << 28):
        bytearray(1 << 29)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    assert bytearray(1 << 29)
