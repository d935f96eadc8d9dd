"""my_lib::my_add in ONNX, as the TorchScript exporter wants it: nodes written by ``g.op``."""

from __future__ import annotations

from typing import Any

import torch
from torch.onnx import symbolic_helper

from my_add import _node
from my_add._function import check_integer


def _constant(
    g: Any, value: Any, *, like: torch.Value | torch.dtype, is_number: bool = False
) -> torch.Value:
    """A constant of the element type of another value, or of the one given."""
    dtype = like if isinstance(like, torch.dtype) else like.type().dtype()
    if dtype is None:
        raise ValueError(f"the element type of {like} is not known to the exporter")
    if not dtype.is_floating_point and not dtype.is_complex:
        check_integer(value, str(dtype), is_number=is_number)
    constant: torch.Value = g.op("Constant", value_t=torch.tensor(value, dtype=dtype))
    return constant


@symbolic_helper.parse_args("v", "v")
def symbolic(g: Any, a: torch.Value, b: torch.Value) -> Any:
    if domain := _node.domain():
        return _node.torchscript(g, domain, a, b)
    mul = g.op("Mul", a, _constant(g, 2.0, like=a))
    return g.op("Add", mul, b)


_register: Any = torch.onnx.register_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_unregister: Any = torch.onnx.unregister_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_TARGETS = ["my_lib::my_add"]
OPSETS = range(13, 24)


def register(opset: int) -> None:
    """At one opset: PyTorch's own rules win from the opset on at which they are registered."""
    for target in _TARGETS:
        _register(target, symbolic, opset)


def unregister(opset: int) -> None:
    for target in _TARGETS:
        _unregister(target, opset)


for _opset in OPSETS:
    register(_opset)
