"""aten::std: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, unbiased: Any) -> Any:
    """aten::std in ONNX; `op` writes the nodes for the exporter that asks."""
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
    found_2 = op.Sqrt(found)
    return op.Squeeze(found_2, op.constant(list(range(op.rank(self))), like="INT64"))


OP = _onnxop.Operator(
    name="aten::std.default",
    existing="aten::std.default",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="std",
    doc="The operator aten::std.",
    spec="sha256:aa744f59e5e1ac379b9815cb5e00d6bb1b53164bacdfa368b998e3f0e5a8be8c",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.std.default


@_onnxop.script.scripted(OP)
def std(
    self: Tensor,
    unbiased: bool = True,
) -> Tensor:
    """The operator aten::std.

    Args:
        self: a tensor.
        unbiased: a boolean; True by default.

    Returns:
        What PyTorch's aten::std returns.
    """
    result: Tensor = _operator(
        self,
        unbiased,
    )
    return result


class Std(torch.nn.Module):
    """`std` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        unbiased: bool = True,
    ) -> None:
        super().__init__()
        self.unbiased = unbiased

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return std(
            input,
            self.unbiased,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"unbiased={self.unbiased}",
            ]
        )
