"""aten::logaddexp2: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::logaddexp2 in ONNX; `op` writes the nodes for the exporter that asks."""
    greater_or_equal = op.GreaterOrEqual(self, other)
    larger = op.Where(greater_or_equal, self, other)
    equal = op.Equal(self, other)
    sub = op.Sub(self, other)
    where = op.Where(equal, op.constant(0.0, like=self), sub)
    abs = op.Abs(where)
    mul = op.Mul(op.constant(-0.6931471805599453, like=self), abs)
    small = op.Exp(mul)
    one = op.Add(op.constant(1.0, like=self), small)
    step = op.Sub(one, op.constant(1.0, like=self))
    is_none = op.Equal(step, op.constant(0.0, like=self))
    log = op.Log(one)
    mul_2 = op.Mul(log, small)
    where_2 = op.Where(is_none, op.constant(1.0, like=self), step)
    div = op.Div(mul_2, where_2)
    where_3 = op.Where(is_none, small, div)
    mul_3 = op.Mul(op.constant(1.4426950408889634, like=self), where_3)
    return op.Add(larger, mul_3)


OP = _onnxop.Operator(
    name="aten::logaddexp2.default",
    existing="aten::logaddexp2.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="logaddexp2",
    doc="The operator aten::logaddexp2.",
    spec="sha256:4a01cfef13c91e72517e81eb20a35be15c5960ef63b4e7430810b73153ea1615",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.logaddexp2.default


@_onnxop.script.scripted(OP)
def logaddexp2(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::logaddexp2.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::logaddexp2 returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Logaddexp2(torch.nn.Module):
    """`logaddexp2` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return logaddexp2(
            input,
            other,
        )
