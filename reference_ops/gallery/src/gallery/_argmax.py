"""aten::argmax: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::argmax in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) > 0 and dim is not None:
        x = op.Identity(self)
    else:
        x = op.Reshape(self, op.constant([-1], like="INT64"))
    cast = op.Cast(x, to=1)
    is_na_n = op.IsNaN(cast)
    is_nan = op.Cast(is_na_n, to=6)
    axis = dim if op.rank(self) > 0 and dim is not None else 0
    nan = op.ArgMax(is_nan, axis=axis, keepdims=1)
    gather_elements = op.GatherElements(is_nan, nan, axis=axis)
    cast_2 = op.Cast(gather_elements, to=9)
    arg_max = op.ArgMax(x, axis=axis, keepdims=1)
    found = op.Where(cast_2, nan, arg_max)
    if keepdim:
        if op.rank(self) > 0 and dim is not None:
            result = found
        else:
            result = op.Reshape(found, op.constant([1] * op.rank(self), like="INT64"))
        result_3 = result
    else:
        result_3 = op.Squeeze(found, op.constant([axis], like="INT64"))
    return result_3


OP = _onnxop.Operator(
    name="aten::argmax.default",
    existing="aten::argmax.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="argmax",
    doc="The operator aten::argmax.",
    spec="sha256:4f882ae7aff297ce5c74abf02899ca2a1993c36042eb43edd84a3965967bcbaf",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.argmax.default


@_onnxop.script.scripted(OP)
def argmax(
    self: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::argmax.

    Args:
        self: a tensor.
        dim: an integer or None; None by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::argmax returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class Argmax(torch.nn.Module):
    """`argmax` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int | None = None,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return argmax(
            input,
            self.dim,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
