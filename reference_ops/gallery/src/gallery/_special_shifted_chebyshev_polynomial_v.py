"""aten::special_shifted_chebyshev_polynomial_v: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any, n: Any) -> Any:
    """aten::special_shifted_chebyshev_polynomial_v in ONNX; `op` writes the nodes for the exporter that asks."""
    mul = op.Mul(op.constant(2.0, like=x), x)
    y = op.Sub(mul, op.constant(1.0, like=x))
    degree = op.Floor(n)
    abs = op.Abs(y)
    inside = op.LessOrEqual(abs, op.constant(1.0, like=x))
    clip = op.Clip(y, op.constant(-1.0, like=x), op.constant(1.0, like=x))
    angle = op.Acos(clip)
    abs_2 = op.Abs(y)
    growth = op.Max(abs_2, op.constant(1.0, like=x))
    mul_2 = op.Mul(growth, growth)
    sub = op.Sub(mul_2, op.constant(1.0, like=x))
    sqrt = op.Sqrt(sub)
    add = op.Add(growth, sqrt)
    growth_2 = op.Log(add)
    mod = op.Mod(degree, op.constant(2.0, like=n), fmod=1)
    is_odd = op.Equal(mod, op.constant(1.0, like=n))
    less = op.Less(y, op.constant(0.0, like=x))
    and_2 = op.And(less, is_odd)
    mul_3 = op.Mul(op.constant(0.0, like=x), y)
    add_2 = op.Add(op.constant(1.0, like=x), mul_3)
    sign = op.Where(and_2, op.constant(-1.0, like=x), add_2)
    add_3 = op.Add(degree, op.constant(0.5, like=n))
    mul_4 = op.Mul(add_3, angle)
    cos = op.Cos(mul_4)
    mul_5 = op.Mul(op.constant(0.5, like=x), angle)
    cos_2 = op.Cos(mul_5)
    even = op.Div(cos, cos_2)
    add_5 = op.Add(degree, op.constant(0.5, like=n))
    mul_8 = op.Mul(add_5, growth_2)
    exp = op.Exp(mul_8)
    add_6 = op.Add(degree, op.constant(0.5, like=n))
    mul_9 = op.Mul(add_6, growth_2)
    neg = op.Neg(mul_9)
    exp_2 = op.Exp(neg)
    add_7 = op.Add(exp, exp_2)
    mul_10 = op.Mul(op.constant(0.5, like=n), add_7)
    mul_11 = op.Mul(op.constant(0.5, like=x), growth_2)
    exp_3 = op.Exp(mul_11)
    mul_12 = op.Mul(op.constant(0.5, like=x), growth_2)
    neg_2 = op.Neg(mul_12)
    exp_4 = op.Exp(neg_2)
    add_8 = op.Add(exp_3, exp_4)
    mul_13 = op.Mul(op.constant(0.5, like=x), add_8)
    steady = op.Div(mul_10, mul_13)
    add_9 = op.Add(degree, op.constant(0.5, like=n))
    mul_14 = op.Mul(add_9, growth_2)
    exp_5 = op.Exp(mul_14)
    add_10 = op.Add(degree, op.constant(0.5, like=n))
    mul_15 = op.Mul(add_10, growth_2)
    neg_3 = op.Neg(mul_15)
    exp_6 = op.Exp(neg_3)
    sub_2 = op.Sub(exp_5, exp_6)
    mul_16 = op.Mul(op.constant(0.5, like=n), sub_2)
    mul_17 = op.Mul(op.constant(0.5, like=x), growth_2)
    exp_7 = op.Exp(mul_17)
    mul_18 = op.Mul(op.constant(0.5, like=x), growth_2)
    neg_4 = op.Neg(mul_18)
    exp_8 = op.Exp(neg_4)
    sub_3 = op.Sub(exp_7, exp_8)
    mul_19 = op.Mul(op.constant(0.5, like=x), sub_3)
    rising = op.Div(mul_16, mul_19)
    is_left = op.Less(y, op.constant(0.0, like=x))
    equal = op.Equal(y, op.constant(-1.0, like=x))
    mul_20 = op.Mul(op.constant(2.0, like=n), degree)
    add_11 = op.Add(mul_20, op.constant(1.0, like=n))
    mul_21 = op.Mul(sign, add_11)
    near = op.Where(equal, mul_21, even)
    mul_22 = op.Mul(sign, rising)
    far = op.Where(is_left, mul_22, steady)
    less_2 = op.Less(degree, op.constant(0.0, like=n))
    mul_23 = op.Mul(op.constant(0.0, like=x), x)
    where = op.Where(inside, near, far)
    return op.Where(less_2, mul_23, where)


OP = _onnxop.Operator(
    name="aten::special_shifted_chebyshev_polynomial_v.default",
    existing="aten::special_shifted_chebyshev_polynomial_v.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_shifted_chebyshev_polynomial_v",
    doc="The operator aten::special_shifted_chebyshev_polynomial_v.",
    spec="sha256:acd0e27ecc28ee76ed77b4b22e0a9f0ddf81333bdd8c1087d73d3e2944911d4a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_shifted_chebyshev_polynomial_v.default


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
