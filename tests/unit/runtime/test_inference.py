"""Shapes that ONNX infers with the values of sizes, unless a list is too long."""

from __future__ import annotations

import onnx
import pytest

from onnxop_runtime.inference import infer_with_sizes


def _model(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["": 18]>\ng {text}')


def _inferred(model: onnx.ModelProto) -> onnx.ModelProto:
    return infer_with_sizes(model, onnx.shape_inference.infer_shapes(model))


def test_sizes_have_values() -> None:
    inferred = _inferred(_model("(float[2, 3] x) => (y) { s = Shape(x)\n y = ConstantOfShape(s) }"))
    dims = inferred.graph.output[0].type.tensor_type.shape.dim
    assert [dim.dim_value for dim in dims] == [2, 3]


@pytest.mark.parametrize(
    "nodes",
    [
        "n = Constant<value = int64 {1000000000000}>()\n r = Range(zero, n, one)",
        "n = Constant<value = int64[1] {1000000000000}>()\n r = ConstantOfShape(n)",
        "a = Constant<value = int64[1] {1000}>()\n n = Mul(a, a)\n r = ConstantOfShape(n)",
        (
            "a = Constant<value = int64[1] {400}>()\n b = ConstantOfShape(a)\n n = Mul(a, a)\n"
            " c = Shape(b)\n d = Mul(n, c)\n r = ConstantOfShape(d)"
        ),
    ],
)
def test_a_list_that_fits_no_memory_is_no_list_of_sizes(nodes: str) -> None:
    ends = "zero = Constant<value = int64 {0}>()\n one = Constant<value = int64 {1}>()"
    model = _model(f"() => (y) {{ {ends}\n {nodes}\n y = Size(r) }}")
    plain = onnx.shape_inference.infer_shapes(model)
    assert infer_with_sizes(model, plain) is plain


def test_lists_of_computed_lengths_that_are_short() -> None:
    nodes = "a = Constant<value = int64[1] {6}>()\n b = Mul(a, a)\n c = ConstantOfShape(b)\n d = Shape(c)"
    inferred = _inferred(_model(f"() => (y) {{ {nodes}\n y = ConstantOfShape(d) }}"))
    assert [dim.dim_value for dim in inferred.graph.output[0].type.tensor_type.shape.dim] == [36]
