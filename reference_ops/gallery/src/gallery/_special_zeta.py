"""aten::special_zeta: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::special_zeta in ONNX; `op` writes the nodes for the exporter that asks."""
    add = op.Add(self, other)
    found = op.Mul(add, op.constant(0.0, like=self))
    found_2 = found
    for k in range(20):
        add_2 = op.Add(other, op.constant(float(k), like=other))
        neg = op.Neg(self)
        pow = op.Pow(add_2, neg)
        found_3 = op.Add(found_2, pow)
        found_2 = found_3
    y = op.Add(other, op.constant(20.0, like=other))
    neg_2 = op.Neg(self)
    power = op.Pow(y, neg_2)
    mul = op.Mul(power, y)
    sub = op.Sub(self, op.constant(1.0, like=self))
    div = op.Div(mul, sub)
    mul_2 = op.Mul(op.constant(0.5, like=other), power)
    add_3 = op.Add(div, mul_2)
    div_2 = op.Div(self, op.constant(12.0, like=self))
    mul_3 = op.Mul(div_2, power)
    div_3 = op.Div(mul_3, y)
    add_4 = op.Add(add_3, div_3)
    add_5 = op.Add(self, op.constant(1.0, like=self))
    mul_4 = op.Mul(self, add_5)
    add_6 = op.Add(self, op.constant(2.0, like=self))
    mul_5 = op.Mul(mul_4, add_6)
    div_4 = op.Div(mul_5, op.constant(720.0, like=self))
    mul_6 = op.Mul(div_4, power)
    mul_7 = op.Mul(y, y)
    mul_8 = op.Mul(mul_7, y)
    div_5 = op.Div(mul_6, mul_8)
    tail = op.Sub(add_4, div_5)
    mul_9 = op.Mul(op.constant(0.0, like=self), found_2)
    sub_2 = op.Sub(mul_9, op.constant(1.0, like=self))
    nothing = op.Log(sub_2)
    mul_10 = op.Mul(op.constant(0.0, like=self), found_2)
    infinite = op.Div(op.constant(1.0, like=self), mul_10)
    floor = op.Floor(other)
    is_whole = op.Equal(floor, other)
    less_or_equal = op.LessOrEqual(other, op.constant(0.0, like=other))
    floor_2 = op.Floor(self)
    equal = op.Equal(floor_2, self)
    add_7 = op.Add(found_2, tail)
    where = op.Where(equal, add_7, nothing)
    where_2 = op.Where(is_whole, infinite, where)
    add_8 = op.Add(found_2, tail)
    found_4 = op.Where(less_or_equal, where_2, add_8)
    equal_2 = op.Equal(self, op.constant(1.0, like=self))
    less = op.Less(self, op.constant(1.0, like=self))
    where_3 = op.Where(less, nothing, found_4)
    return op.Where(equal_2, infinite, where_3)


OP = _onnxop.Operator(
    name="aten::special_zeta.default",
    existing="aten::special_zeta.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_zeta",
    doc="The operator aten::special_zeta.",
    spec="sha256:f2b8c6e80bb4ad6dec6a8f1762c9281ec0e458cf94a1fd121bd9aff3108c8c01",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_zeta.default


def special_zeta(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::special_zeta.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::special_zeta returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class SpecialZeta(torch.nn.Module):
    """`special_zeta` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return special_zeta(
            input,
            other,
        )
