"""ONNX's shape inference that also computes the values of sizes, unless a model has long lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model_nodes import nodes_of

if TYPE_CHECKING:
    import onnx

_LONGEST = 100_000
"""Elements of a list. ONNX keeps some 60 bytes for each element of a list whose length it knows,
also if the list is data: for one of a billion numbers that is all memory of a machine.
"""
_SIZED_BY_VALUES = {
    *(
        "AffineGrid",
        "BlackmanWindow",
        "CenterCropPad",
        "ConstantOfShape",
        "Expand",
        "HammingWindow",
    ),
    *("HannWindow", "MaxUnpool", "OneHot", "Pad", "Range", "Reshape", "Resize", "Slice", "Split"),
    *("Tile", "TopK", "Upsample"),
}
"""The ops whose results have sizes that are values of inputs."""
_MOST_STEPS = 4
"""How often the length of a list may follow from that of another one."""


def infer_with_sizes(
    model: onnx.ModelProto, inferred: onnx.ModelProto, *, is_strict: bool = False
) -> onnx.ModelProto:
    """Return the model with the types and shapes of its values, those that follow from the values
    of sizes included; ``inferred`` as it is if it has a list of more than 100,000 elements.

    Args:
        model: the model.
        inferred: the model with the types and shapes that ONNX infers without these values.
        is_strict: whether a node that ONNX refuses raises ``onnx.shape_inference.InferenceError``.
    """
    from onnx import shape_inference

    if _may_have_long_list(model, inferred):
        return inferred
    return shape_inference.infer_shapes(
        model, check_type=is_strict, strict_mode=is_strict, data_prop=True
    )


def _may_have_long_list(model: onnx.ModelProto, inferred: onnx.ModelProto) -> bool:
    """Return whether the model has a long list. Where the length follows from values, ONNX infers
    it, and does not keep the list if no node takes it. So infer only the nodes before such lists;
    then, with the lengths that are known, those before the next lists, and so on.
    """
    from onnx import shape_inference

    lists = _lists_of_unknown_length(inferred.graph)
    for _ in range(_MOST_STEPS):
        if _has_long_list(inferred.graph):
            return True
        if not lists:
            return False
        first = _before(model, lists)
        inferred = shape_inference.infer_shapes(first, data_prop=True)
        lists -= {name for node in first.graph.node for name in node.output}
    return False


def _lists_of_unknown_length(graph: onnx.GraphProto) -> set[str]:
    """Return the outputs of nodes whose values decide their sizes, except those of which the
    inferred shape is complete, or not that of a list.
    """
    with_known_size = set()
    for value in (*graph.value_info, *graph.output):
        dims = value.type.tensor_type.shape.dim
        is_list_of_unknown_length = len(dims) == 1 and not dims[0].HasField("dim_value")
        if value.type.tensor_type.HasField("shape") and not is_list_of_unknown_length:
            with_known_size.add(value.name)
    sized_by_values = [node for node in graph.node if node.op_type in _SIZED_BY_VALUES]
    return {name for node in sized_by_values for name in node.output} - with_known_size


def _before(model: onnx.ModelProto, lists: set[str]) -> onnx.ModelProto:
    """Return the model without the nodes that depend on some values."""
    import onnx

    first = onnx.ModelProto()
    first.CopyFrom(model)
    later = set(lists)
    del first.graph.node[:], first.graph.output[:]
    for node in model.graph.node:
        is_later = any(name in later for inner in nodes_of([node]) for name in inner.input)
        if is_later:
            later.update(node.output)
        else:
            first.graph.node.append(node)
    return first


def _has_long_list(graph: onnx.GraphProto) -> bool:
    """Return whether a value of the graph is a list that is known to be long."""
    if any(len(tensor.dims) == 1 and tensor.dims[0] > _LONGEST for tensor in graph.initializer):
        return True
    shapes = [
        value.type.tensor_type.shape.dim
        for value in (*graph.input, *graph.value_info, *graph.output)
    ]
    return any(len(shape) == 1 and shape[0].dim_value > _LONGEST for shape in shapes)
