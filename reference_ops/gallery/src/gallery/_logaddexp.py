"""aten::logaddexp: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::logaddexp in ONNX; `op` writes the nodes for the exporter that asks."""
    greater_or_equal = op.GreaterOrEqual(self, other)
    larger = op.Where(greater_or_equal, self, other)
    equal = op.Equal(self, other)
    sub = op.Sub(self, other)
    where = op.Where(equal, op.constant(0.0, like=self), sub)
    abs = op.Abs(where)
    neg = op.Neg(abs)
    small = op.Exp(neg)
    one = op.Add(op.constant(1.0, like=self), small)
    step = op.Sub(one, op.constant(1.0, like=self))
    is_none = op.Equal(step, op.constant(0.0, like=self))
    log = op.Log(one)
    mul = op.Mul(log, small)
    where_2 = op.Where(is_none, op.constant(1.0, like=self), step)
    div = op.Div(mul, where_2)
    where_3 = op.Where(is_none, small, div)
    return op.Add(larger, where_3)


OP = _onnxop.Operator(
    name="aten::logaddexp.default",
    existing="aten::logaddexp.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="logaddexp",
    doc="The operator aten::logaddexp.",
    spec="sha256:922e046566051b1c6822ad6770327d204874d70d5bfc7dc8d572208469d8a8ce",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.logaddexp.default


@_onnxop.script.scripted(OP)
def logaddexp(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::logaddexp.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::logaddexp returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Logaddexp(torch.nn.Module):
    """`logaddexp` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return logaddexp(
            input,
            other,
        )
