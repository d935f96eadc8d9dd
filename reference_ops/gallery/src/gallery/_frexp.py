"""aten::frexp: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::frexp in ONNX; `op` writes the nodes for the exporter that asks."""
    size = op.Abs(self)
    equal = op.Equal(self, op.constant(0.0, like=self))
    is_na_n = op.IsNaN(self)
    is_inf = op.IsInf(self)
    or_2 = op.Or(is_na_n, is_inf)
    is_none = op.Or(equal, or_2)
    where = op.Where(is_none, op.constant(1.0, like=self), size)
    log = op.Log(where)
    mul = op.Mul(log, op.constant(1.4426950408889634, like=self))
    floor = op.Floor(mul)
    add = op.Add(floor, op.constant(1.0, like=self))
    exponent = op.Where(is_none, op.constant(0.0, like=self), add)
    mul_2 = op.Mul(op.constant(0.0, like=self), exponent)
    add_2 = op.Add(op.constant(2.0, like=self), mul_2)
    pow = op.Pow(add_2, exponent)
    part = op.Div(self, pow)
    abs = op.Abs(part)
    is_high = op.GreaterOrEqual(abs, op.constant(1.0, like=self))
    abs_2 = op.Abs(part)
    is_low = op.Less(abs_2, op.constant(0.5, like=self))
    mul_3 = op.Mul(op.constant(0.5, like=self), part)
    mul_4 = op.Mul(op.constant(2.0, like=self), part)
    where_2 = op.Where(is_low, mul_4, part)
    part_2 = op.Where(is_high, mul_3, where_2)
    add_3 = op.Add(exponent, op.constant(1.0, like=self))
    sub = op.Sub(exponent, op.constant(1.0, like=self))
    where_3 = op.Where(is_low, sub, exponent)
    exponent_2 = op.Where(is_high, add_3, where_3)
    mantissa = op.Where(is_none, self, part_2)
    where_4 = op.Where(is_none, op.constant(0.0, like=self), exponent_2)
    exponent_3 = op.Cast(where_4, to=6)
    return mantissa, exponent_3


OP = _onnxop.Operator(
    name="aten::frexp.Tensor",
    existing="aten::frexp.Tensor",
    results=[
        "mantissa",
        "exponent",
    ],
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="frexp",
    doc="The operator aten::frexp.",
    spec="sha256:d2385d0d827146b6ecb097f2669b918e6ed71a83c8898895139593dc6ff415b7",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.frexp.Tensor


@_onnxop.script.scripted(OP)
def frexp(
    self: Tensor,
) -> tuple[Tensor, Tensor]:
    """The operator aten::frexp.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::frexp returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
    )
    return result


class Frexp(torch.nn.Module):
    """`frexp` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return frexp(
            input,
        )
