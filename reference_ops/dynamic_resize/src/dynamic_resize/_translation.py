"""dynamic_resize::resize in ONNX, as the dynamo exporter wants it: nodes written by onnxscript."""

from __future__ import annotations

from typing import Any

from onnxscript import ir, opset18

from dynamic_resize import _node
from dynamic_resize._function import check_integer

op: Any = opset18


def _constant(value: Any, *, like: Any, is_number: bool = False) -> Any:
    """A constant of the element type of another value, or of the one named."""
    dtype = ir.DataType[like] if isinstance(like, str) else like.dtype
    if dtype is not None and dtype.is_integer():
        check_integer(value, dtype.name, is_number=is_number)
    tensor: Any = ir.tensor(value, dtype=dtype)
    return op.Constant(value=tensor)


def translation(input: Any, scales: Any) -> Any:
    if domain := _node.domain():
        return _node.dynamo(domain, input, scales)
    return op.Resize(
        input,
        _constant([], like="FLOAT"),
        scales,
        coordinate_transformation_mode="pytorch_half_pixel",
        cubic_coeff_a=-0.75,
        mode="cubic",
        nearest_mode="floor",
    )
