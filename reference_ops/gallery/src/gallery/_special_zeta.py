"""aten::special_zeta: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::special_zeta in ONNX; `op` writes the nodes for the exporter that asks."""
    less = op.Less(self, other)
    shape = op.Shape(less)
    other_2 = op.Expand(other, shape)
    is_low = op.Less(other_2, op.constant(0.0, like=other))
    floor = op.Floor(other_2)
    fraction = op.Sub(other_2, floor)
    where = op.Where(is_low, op.constant(1.0, like=other), other_2)
    q = op.Unsqueeze(where, op.constant([0], like="INT64"))
    sub = op.Sub(op.constant(1.0, like=other), other_2)
    where_2 = op.Where(is_low, sub, op.constant(1.0, like=other))
    left = op.Unsqueeze(where_2, op.constant([0], like="INT64"))
    fraction_2 = op.Unsqueeze(fraction, op.constant([0], like="INT64"))
    sub_2 = op.Sub(op.constant(1.0, like=other), fraction_2)
    stack = op.Concat(q, fraction_2, sub_2, left, axis=0)
    neg = op.Neg(self)
    total = op.Pow(stack, neg)
    total_2 = total
    for k in range(19):
        add = op.Add(stack, op.constant(float(k + 1), like=other))
        neg_2 = op.Neg(self)
        pow = op.Pow(add, neg_2)
        total_3 = op.Add(total_2, pow)
        total_2 = total_3
    y = op.Add(stack, op.constant(20.0, like=other))
    neg_3 = op.Neg(self)
    power = op.Pow(y, neg_3)
    div = op.Div(self, op.constant(12.0, like=self))
    mul = op.Mul(div, power)
    div_2 = op.Div(mul, y)
    add_2 = op.Add(self, op.constant(1.0, like=self))
    mul_2 = op.Mul(self, add_2)
    add_3 = op.Add(self, op.constant(2.0, like=self))
    mul_3 = op.Mul(mul_2, add_3)
    div_3 = op.Div(mul_3, op.constant(720.0, like=self))
    mul_4 = op.Mul(div_3, power)
    mul_5 = op.Mul(y, y)
    mul_6 = op.Mul(mul_5, y)
    div_4 = op.Div(mul_4, mul_6)
    rest = op.Sub(div_2, div_4)
    equal = op.Equal(power, op.constant(0.0, like=other))
    mul_7 = op.Mul(op.constant(0.5, like=other), power)
    add_4 = op.Add(mul_7, rest)
    rest_2 = op.Where(equal, op.constant(0.0, like=other), add_4)
    sub_3 = op.Sub(op.constant(1.0, like=self), self)
    pow_2 = op.Pow(y, sub_3)
    sub_4 = op.Sub(self, op.constant(1.0, like=self))
    div_5 = op.Div(pow_2, sub_4)
    add_5 = op.Add(total_2, div_5)
    total_4 = op.Add(add_5, rest_2)
    found = op.Gather(total_4, op.constant(0, like="INT64"), axis=0)
    mod = op.Mod(self, op.constant(2.0, like=self), fmod=1)
    equal_2 = op.Equal(mod, op.constant(0.0, like=self))
    cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), self)
    sign = op.Where(equal_2, cast_like, op.constant(-1.0, like=self))
    gather = op.Gather(total_4, op.constant(1, like="INT64"), axis=0)
    gather_2 = op.Gather(total_4, op.constant(2, like="INT64"), axis=0)
    gather_3 = op.Gather(total_4, op.constant(3, like="INT64"), axis=0)
    sub_5 = op.Sub(gather_2, gather_3)
    mul_8 = op.Mul(sign, sub_5)
    both = op.Add(gather, mul_8)
    constant_2 = op.Constant(value_float=-(float("inf") - float("inf")))
    nan = op.CastLike(constant_2, self)
    less_or_equal = op.LessOrEqual(other_2, op.constant(0.0, like=other))
    floor_2 = op.Floor(other_2)
    equal_3 = op.Equal(floor_2, other_2)
    is_pole = op.And(less_or_equal, equal_3)
    floor_3 = op.Floor(self)
    equal_4 = op.Equal(floor_3, self)
    not_2 = op.Not(equal_4)
    is_none = op.And(is_low, not_2)
    is_inf = op.IsInf(other_2)
    where_3 = op.Where(is_low, both, found)
    found_2 = op.Where(is_inf, nan, where_3)
    where_4 = op.Where(is_none, nan, found_2)
    found_3 = op.Where(is_pole, op.constant(float("inf"), like=self), where_4)
    equal_5 = op.Equal(self, op.constant(1.0, like=self))
    less_2 = op.Less(self, op.constant(1.0, like=self))
    where_5 = op.Where(less_2, nan, found_3)
    found_4 = op.Where(equal_5, op.constant(float("inf"), like=self), where_5)
    is_na_n = op.IsNaN(self)
    is_na_n_2 = op.IsNaN(other_2)
    greater = op.Greater(self, op.constant(1.0, like=self))
    and_2 = op.And(is_na_n_2, greater)
    where_6 = op.Where(and_2, other_2, found_4)
    return op.Where(is_na_n, self, where_6)


OP = _onnxop.Operator(
    name="aten::special_zeta.default",
    existing="aten::special_zeta.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_zeta",
    doc="The operator aten::special_zeta.",
    spec="sha256:97ed053ed3b2edf8e1dea72c5c13918ea94f5ee0d029bf230c3ddc0fe8accd21",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_zeta.default


@_onnxop.script.scripted(OP)
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
