"""ONNX's shape inference that also computes the values of sizes, unless a model has long lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx

_LONGEST = 100_000
"""Elements of a list. ONNX keeps some 60 bytes for each element of a list whose length it knows,
also if the list is data: for one of a billion numbers that is all memory of a machine.
"""


def infer_with_sizes(
    model: onnx.ModelProto | bytes, inferred: onnx.ModelProto, *, is_strict: bool = False
) -> onnx.ModelProto:
    """Return the model with the types and shapes of its values, those that follow from the values
    of sizes included; ``inferred`` as it is if it has a list of more than 100,000 elements.

    Args:
        model: the model, or its bytes.
        inferred: the model with the types and shapes that ONNX infers without these values.
        is_strict: whether a node that ONNX refuses raises ``onnx.shape_inference.InferenceError``.
    """
    from onnx import shape_inference

    if _has_long_list(inferred.graph):
        return inferred
    try:
        return shape_inference.infer_shapes(
            model, check_type=is_strict, strict_mode=is_strict, data_prop=True
        )
    except MemoryError:  # of a list whose length follows from values
        return inferred


def _has_long_list(graph: onnx.GraphProto) -> bool:
    if any(len(tensor.dims) == 1 and tensor.dims[0] > _LONGEST for tensor in graph.initializer):
        return True
    shapes = [
        value.type.tensor_type.shape.dim
        for value in (*graph.input, *graph.value_info, *graph.output)
    ]
    return any(len(shape) == 1 and shape[0].dim_value > _LONGEST for shape in shapes)
