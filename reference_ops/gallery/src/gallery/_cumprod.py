"""aten::cumprod: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, dtype: Any) -> Any:
    """aten::cumprod in ONNX; `op` writes the nodes for the exporter that asks."""
    if dtype is not None:
        x = op.Cast(self, to=dtype)
    else:
        x = self
    if op.rank(self) == 0:
        result = x
    else:
        shape = op.Shape(self)
        length = op.Slice(
            shape,
            op.constant([dim % op.rank(self)], like="INT64"),
            op.constant([dim % op.rank(self) + 1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        one = op.CastLike(op.constant(1, like="INT64"), x)
        x_2 = x
        for k in range(31):
            step = op.Min(length, op.constant(2**k, like="INT64"))
            whole = op.Shape(x_2)
            slice = op.Slice(
                whole,
                op.constant([0], like="INT64"),
                op.constant([dim % op.rank(self)], like="INT64"),
                op.constant([0], like="INT64"),
            )
            slice_2 = op.Slice(
                whole,
                op.constant([dim % op.rank(self) + 1], like="INT64"),
                op.constant([64], like="INT64"),
                op.constant([0], like="INT64"),
            )
            concat = op.Concat(slice, step, slice_2, axis=0)
            ones = op.Expand(one, concat)
            sub = op.Sub(length, step)
            slice_3 = op.Slice(
                x_2,
                op.constant([0], like="INT64"),
                sub,
                op.constant([dim % op.rank(self)], like="INT64"),
            )
            concat_2 = op.Concat(ones, slice_3, axis=dim % op.rank(self))
            x_3 = op.Mul(x_2, concat_2)
            x_2 = x_3
        result = x_2
    return op.Identity(result)


OP = _onnxop.Operator(
    name="aten::cumprod.default",
    existing="aten::cumprod.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="cumprod",
    doc="The operator aten::cumprod.",
    spec="sha256:ecea7047b875c548158b602f9ba4c81749f88c871663cf6428b676867b923c37",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cumprod.default


@_onnxop.script.scripted(OP)
def cumprod(
    self: Tensor,
    dim: int,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The operator aten::cumprod.

    Args:
        self: a tensor.
        dim: an integer.
        dtype: a dtype or None; None by default.

    Returns:
        What PyTorch's aten::cumprod returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        dtype=dtype,
    )
    return result


class Cumprod(torch.nn.Module):
    """`cumprod` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        *,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.dtype = dtype

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return cumprod(
            input,
            self.dim,
            dtype=self.dtype,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"dtype={self.dtype}",
            ]
        )
