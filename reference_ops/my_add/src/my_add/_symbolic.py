"""my_lib::my_add in ONNX, as the TorchScript exporter wants it: nodes written by ``g.op``."""

from __future__ import annotations

from typing import Any

import torch
from torch.onnx import symbolic_helper


def _constant(g: Any, value: Any, *, like: torch.Value | torch.dtype) -> torch.Value:
    """A constant of the element type of another value, or of the one given."""
    dtype = like if isinstance(like, torch.dtype) else like.type().dtype()
    if dtype is None:
        raise ValueError(f"the element type of {like} is not known to the exporter")
    constant: torch.Value = g.op("Constant", value_t=torch.tensor(value, dtype=dtype))
    return constant


@symbolic_helper.parse_args("v", "v")
def symbolic(g: Any, a: torch.Value, b: torch.Value) -> Any:
    mul = g.op("Mul", a, _constant(g, 2.0, like=a))
    return g.op("Add", mul, b)


_register: Any = torch.onnx.register_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
# At each opset: PyTorch's own rules win from the opset on at which they are registered.
for _opset in range(13, 24):
    _register("my_lib::my_add", symbolic, _opset)
