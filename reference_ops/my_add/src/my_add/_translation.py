"""my_lib::my_add in ONNX, as the dynamo exporter wants it: nodes written by onnxscript."""

from __future__ import annotations

from typing import Any

from onnxscript import ir, opset18

from my_add import _node
from my_add._function import check_integer

op: Any = opset18


def _constant(value: Any, *, like: Any, is_number: bool = False) -> Any:
    """A constant of the element type of another value, or of the one named."""
    dtype = ir.DataType[like] if isinstance(like, str) else like.dtype
    if dtype is not None and dtype.is_integer():
        check_integer(value, dtype.name, is_number=is_number)
    tensor: Any = ir.tensor(value, dtype=dtype)
    return op.Constant(value=tensor)


def translation(a: Any, b: Any) -> Any:
    if domain := _node.domain():
        return _node.dynamo(domain, a, b)
    mul = op.Mul(a, _constant(2.0, like=a))
    return op.Add(mul, b)
