"""aten::special_shifted_chebyshev_polynomial_v: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any, n: Any) -> Any:
    """aten::special_shifted_chebyshev_polynomial_v in ONNX; `op` writes the nodes for the exporter that asks."""
    mul = op.Mul(op.constant(2.0, like=x), x)
    y = op.Sub(mul, op.constant(1.0, like=x))
    abs = op.Abs(n)
    is_degree = op.Less(abs, op.constant(9e18, like=n))
    abs_2 = op.Abs(n)
    floor = op.Floor(abs_2)
    degree = op.Where(is_degree, floor, op.constant(0.0, like=n))
    not_2 = op.Not(is_degree)
    less_or_equal = op.LessOrEqual(n, op.constant(-1.0, like=n))
    is_none = op.Or(not_2, less_or_equal)
    abs_3 = op.Abs(y)
    inside = op.LessOrEqual(abs_3, op.constant(1.0, like=x))
    clip = op.Clip(y, op.constant(-1.0, like=x), op.constant(1.0, like=x))
    angle = op.Acos(clip)
    abs_4 = op.Abs(y)
    growth = op.Max(abs_4, op.constant(1.0, like=x))
    sub = op.Sub(growth, op.constant(1.0, like=x))
    sqrt = op.Sqrt(sub)
    add = op.Add(growth, op.constant(1.0, like=x))
    sqrt_2 = op.Sqrt(add)
    mul_2 = op.Mul(sqrt, sqrt_2)
    add_2 = op.Add(growth, mul_2)
    growth_2 = op.Log(add_2)
    mod = op.Mod(degree, op.constant(2.0, like=n), fmod=1)
    is_odd = op.Equal(mod, op.constant(1.0, like=n))
    less = op.Less(y, op.constant(0.0, like=x))
    and_2 = op.And(less, is_odd)
    cast_like = op.CastLike(op.constant(-1.0, like="FLOAT"), y)
    sign = op.Where(and_2, cast_like, op.constant(1.0, like=x))
    add_3 = op.Add(degree, op.constant(0.5, like=n))
    mul_3 = op.Mul(add_3, angle)
    cos = op.Cos(mul_3)
    mul_4 = op.Mul(op.constant(0.5, like=x), angle)
    cos_2 = op.Cos(mul_4)
    even = op.Div(cos, cos_2)
    mul_5 = op.Mul(op.constant(2.0, like=n), degree)
    add_4 = op.Add(mul_5, op.constant(1.0, like=n))
    neg = op.Neg(add_4)
    mul_6 = op.Mul(neg, growth_2)
    less_2 = op.Exp(mul_6)
    mul_7 = op.Mul(degree, growth_2)
    exp = op.Exp(mul_7)
    add_5 = op.Add(op.constant(1.0, like=n), less_2)
    mul_8 = op.Mul(exp, add_5)
    neg_2 = op.Neg(growth_2)
    exp_2 = op.Exp(neg_2)
    add_6 = op.Add(op.constant(1.0, like=x), exp_2)
    steady = op.Div(mul_8, add_6)
    mul_9 = op.Mul(degree, growth_2)
    exp_3 = op.Exp(mul_9)
    sub_2 = op.Sub(op.constant(1.0, like=n), less_2)
    mul_10 = op.Mul(exp_3, sub_2)
    neg_3 = op.Neg(growth_2)
    exp_4 = op.Exp(neg_3)
    sub_3 = op.Sub(op.constant(1.0, like=x), exp_4)
    rising = op.Div(mul_10, sub_3)
    equal = op.Equal(y, op.constant(-1.0, like=x))
    mul_11 = op.Mul(op.constant(2.0, like=n), degree)
    add_7 = op.Add(mul_11, op.constant(1.0, like=n))
    mul_12 = op.Mul(sign, add_7)
    near = op.Where(equal, mul_12, even)
    less_3 = op.Less(y, op.constant(0.0, like=x))
    mul_13 = op.Mul(sign, rising)
    far = op.Where(less_3, mul_13, steady)
    is_na_n = op.IsNaN(x)
    where = op.Where(inside, near, far)
    found = op.Where(is_na_n, x, where)
    equal_2 = op.Equal(degree, op.constant(0.0, like=n))
    where_2 = op.Where(equal_2, op.constant(1.0, like=x), found)
    return op.Where(is_none, op.constant(0.0, like=x), where_2)


OP = _onnxop.Operator(
    name="aten::special_shifted_chebyshev_polynomial_v.default",
    existing="aten::special_shifted_chebyshev_polynomial_v.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_shifted_chebyshev_polynomial_v",
    doc="The operator aten::special_shifted_chebyshev_polynomial_v.",
    spec="sha256:f33b6d7faa84ea2864a86395fad86b5608cdc2c97f59df61ec907b2a3a0981aa",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_shifted_chebyshev_polynomial_v.default


@_onnxop.script.scripted(OP)
def special_shifted_chebyshev_polynomial_v(
    x: Tensor,
    n: Tensor,
) -> Tensor:
    """The operator aten::special_shifted_chebyshev_polynomial_v.

    Args:
        x: a tensor.
        n: a tensor.

    Returns:
        What PyTorch's aten::special_shifted_chebyshev_polynomial_v returns.
    """
    result: Tensor = _operator(
        x,
        n,
    )
    return result


class SpecialShiftedChebyshevPolynomialV(torch.nn.Module):
    """`special_shifted_chebyshev_polynomial_v` as a module."""

    def forward(
        self,
        x: Tensor,
        n: Tensor,
    ) -> Tensor:
        return special_shifted_chebyshev_polynomial_v(
            x,
            n,
        )
