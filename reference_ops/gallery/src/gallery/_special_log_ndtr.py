"""aten::special_log_ndtr: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::special_log_ndtr in ONNX; `op` writes the nodes for the exporter that asks."""
    abs = op.Abs(self)
    a = op.Mul(abs, op.constant(0.7071067811865476, like=self))
    mul = op.Mul(op.constant(0.5, like=self), a)
    add = op.Add(op.constant(1.0, like=self), mul)
    t = op.Div(op.constant(1.0, like=self), add)
    p = op.Mul(t, op.constant(0.0, like=self))
    p_2 = p
    for c in [0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223]:  # fmt: skip
        mul_2 = op.Mul(p_2, t)
        p_3 = op.Add(mul_2, op.constant(c, like=self))
        p_2 = p_3
    exp = op.Exp(p_2)
    scaled = op.Mul(t, exp)
    mul_3 = op.Mul(op.constant(0.5, like=self), scaled)
    log = op.Log(mul_3)
    mul_4 = op.Mul(a, a)
    low = op.Sub(log, mul_4)
    mul_5 = op.Mul(op.constant(-0.5, like=self), scaled)
    neg = op.Neg(a)
    mul_6 = op.Mul(neg, a)
    exp_2 = op.Exp(mul_6)
    y = op.Mul(mul_5, exp_2)
    above = op.Add(y, op.constant(1.0, like=self))
    equal = op.Equal(above, op.constant(1.0, like=self))
    log_2 = op.Log(above)
    mul_7 = op.Mul(log_2, y)
    sub = op.Sub(above, op.constant(1.0, like=self))
    div = op.Div(mul_7, sub)
    high = op.Where(equal, y, div)
    less = op.Less(self, op.constant(0.0, like=self))
    return op.Where(less, low, high)


OP = _onnxop.Operator(
    name="aten::special_log_ndtr.default",
    existing="aten::special_log_ndtr.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_log_ndtr",
    doc="The operator aten::special_log_ndtr.",
    spec="sha256:1928401b423213b945a83da0c79ba8debd78193898aff153a8d1d61ebdc09333",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_log_ndtr.default


@_onnxop.script.scripted(OP)
def special_log_ndtr(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_log_ndtr.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_log_ndtr returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialLogNdtr(torch.nn.Module):
    """`special_log_ndtr` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_log_ndtr(
            input,
        )
