"""ONNX's shape inference that also computes the values of sizes, within a limit of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .processes import at_most_more_memory

if TYPE_CHECKING:
    import onnx

_MEMORY = 1 << 30
"""Bytes for the sizes. ONNX keeps some 60 bytes for each element of a list whose length it knows,
also if the list is data: for one of a billion numbers that is all memory of a machine.
"""


def infer_with_sizes(
    model: onnx.ModelProto | bytes, *, is_strict: bool = False
) -> onnx.ModelProto | None:
    """Return the model with the types and shapes of its values, or None if that takes too much
    memory.

    Args:
        model: the model, or its bytes.
        is_strict: whether a node that ONNX refuses raises ``onnx.shape_inference.InferenceError``.
    """
    from onnx import shape_inference

    try:
        with at_most_more_memory(_MEMORY):
            return shape_inference.infer_shapes(
                model, check_type=is_strict, strict_mode=is_strict, data_prop=True
            )
    except MemoryError:
        return None
