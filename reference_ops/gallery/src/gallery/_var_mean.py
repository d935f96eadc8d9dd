"""aten::var_mean: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, unbiased: Any) -> Any:
    """aten::var_mean in ONNX; `op` writes the nodes for the exporter that asks."""
    size = op.Size(self)
    count = op.Cast(size, to=1)
    reduce_mean = op.ReduceMean(
        self,
        op.constant(list(range(op.rank(self))), like="INT64"),
        keepdims=1,
    )
    div = op.Div(count, count)
    cast_like = op.CastLike(div, self)
    mean = op.Mul(reduce_mean, cast_like)
    gone = op.Sub(self, mean)
    sub = op.Sub(count, op.constant(float(unbiased), like="FLOAT"))
    max = op.Max(sub, op.constant(0.0, like="FLOAT"))
    left = op.Div(count, max)
    mul = op.Mul(gone, gone)
    reduce_mean_2 = op.ReduceMean(
        mul,
        op.constant(list(range(op.rank(self))), like="INT64"),
        keepdims=1,
    )
    cast_like_2 = op.CastLike(left, self)
    found = op.Mul(reduce_mean_2, cast_like_2)
    result0 = op.Squeeze(found, op.constant(list(range(op.rank(self))), like="INT64"))
    result1 = op.Squeeze(mean, op.constant(list(range(op.rank(self))), like="INT64"))
    return result0, result1


OP = _onnxop.Operator(
    name="aten::var_mean.default",
    existing="aten::var_mean.default",
    results=[
        "result0",
        "result1",
    ],
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="var_mean",
    doc="The operator aten::var_mean.",
    spec="sha256:3707d144293ebfdb7422212d3f4605441528e4e32461685e53b1fce39806c3ae",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.var_mean.default


@_onnxop.script.scripted(OP)
def var_mean(
    self: Tensor,
    unbiased: bool = True,
) -> tuple[Tensor, Tensor]:
    """The operator aten::var_mean.

    Args:
        self: a tensor.
        unbiased: a boolean; True by default.

    Returns:
        What PyTorch's aten::var_mean returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        unbiased,
    )
    return result


class VarMean(torch.nn.Module):
    """`var_mean` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        unbiased: bool = True,
    ) -> None:
        super().__init__()
        self.unbiased = unbiased

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return var_mean(
            input,
            self.unbiased,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"unbiased={self.unbiased}",
            ]
        )
