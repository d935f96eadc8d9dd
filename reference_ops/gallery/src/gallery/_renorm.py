"""aten::renorm: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, p: Any, dim: Any, maxnorm: Any) -> Any:
    """aten::renorm in ONNX; `op` writes the nodes for the exporter that asks."""
    axes = list(range(dim if dim >= 0 else dim + op.rank(self))) + list(range((dim if dim >= 0 else dim + op.rank(self)) + 1, op.rank(self)))  # fmt: skip
    size = op.Abs(self)
    if p == float("inf"):
        is_nan = op.IsNaN(size)
        where = op.Where(is_nan, op.constant(0, like=self), size)
        reduce_max = op.ReduceMax(where, op.constant(axes, like="INT64"))
        where_2 = op.Where(is_nan, size, op.constant(0, like=self))
        reduce_sum = op.ReduceSum(where_2, op.constant(axes, like="INT64"))
        norm_3 = op.Add(reduce_max, reduce_sum)
    else:
        pow = op.Pow(size, op.constant(float(p), like="FLOAT"))
        reduce_sum_2 = op.ReduceSum(pow, op.constant(axes, like="INT64"))
        norm_3 = op.Pow(reduce_sum_2, op.constant(1.0 / float(p), like="FLOAT"))
    greater = op.Greater(norm_3, op.constant(maxnorm, like=self, is_number=True))
    cast_like = op.CastLike(op.constant(maxnorm, like="FLOAT"), self)
    add = op.Add(norm_3, op.constant(1e-07, like=self))
    div = op.Div(cast_like, add)
    where_3 = op.Where(greater, div, op.constant(1, like=self))
    return op.Mul(self, where_3)


OP = _onnxop.Operator(
    name="aten::renorm.default",
    existing="aten::renorm.default",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="renorm",
    doc="The operator aten::renorm.",
    spec="sha256:d8528bda0b0cf9663da1eda1abdbd18fa9bb2de9782b8d235606252a3463e519",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.renorm.default


@_onnxop.script.scripted(OP)
def renorm(
    self: Tensor,
    p: float,
    dim: int,
    maxnorm: float,
) -> Tensor:
    """The operator aten::renorm.

    Args:
        self: a tensor.
        p: a number.
        dim: an integer.
        maxnorm: a number.

    Returns:
        What PyTorch's aten::renorm returns.
    """
    result: Tensor = _operator(
        self,
        _onnxop.number(p),
        dim,
        _onnxop.number(maxnorm),
    )
    return result


class Renorm(torch.nn.Module):
    """`renorm` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        p: float,
        dim: int,
        maxnorm: float,
    ) -> None:
        super().__init__()
        self.p = p
        self.dim = dim
        self.maxnorm = maxnorm

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return renorm(
            input,
            self.p,
            self.dim,
            self.maxnorm,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"p={self.p}",
                f"dim={self.dim}",
                f"maxnorm={self.maxnorm}",
            ]
        )
