"""aten::special_chebyshev_polynomial_w: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any, n: Any) -> Any:
    """aten::special_chebyshev_polynomial_w in ONNX; `op` writes the nodes for the exporter that asks."""
    degree = op.Floor(n)
    abs = op.Abs(x)
    inside = op.LessOrEqual(abs, op.constant(1.0, like=x))
    clip = op.Clip(x, op.constant(-1.0, like=x), op.constant(1.0, like=x))
    angle = op.Acos(clip)
    abs_2 = op.Abs(x)
    growth = op.Max(abs_2, op.constant(1.0, like=x))
    mul = op.Mul(growth, growth)
    sub = op.Sub(mul, op.constant(1.0, like=x))
    sqrt = op.Sqrt(sub)
    add = op.Add(growth, sqrt)
    growth_2 = op.Log(add)
    mod = op.Mod(degree, op.constant(2.0, like=n), fmod=1)
    is_odd = op.Equal(mod, op.constant(1.0, like=n))
    less = op.Less(x, op.constant(0.0, like=x))
    and_2 = op.And(less, is_odd)
    mul_2 = op.Mul(op.constant(0.0, like=x), x)
    add_2 = op.Add(op.constant(1.0, like=x), mul_2)
    sign = op.Where(and_2, op.constant(-1.0, like=x), add_2)
    add_4 = op.Add(degree, op.constant(0.5, like=n))
    mul_5 = op.Mul(add_4, angle)
    sin = op.Sin(mul_5)
    mul_6 = op.Mul(op.constant(0.5, like=x), angle)
    sin_2 = op.Sin(mul_6)
    odd = op.Div(sin, sin_2)
    add_5 = op.Add(degree, op.constant(0.5, like=n))
    mul_7 = op.Mul(add_5, growth_2)
    exp = op.Exp(mul_7)
    add_6 = op.Add(degree, op.constant(0.5, like=n))
    mul_8 = op.Mul(add_6, growth_2)
    neg = op.Neg(mul_8)
    exp_2 = op.Exp(neg)
    add_7 = op.Add(exp, exp_2)
    mul_9 = op.Mul(op.constant(0.5, like=n), add_7)
    mul_10 = op.Mul(op.constant(0.5, like=x), growth_2)
    exp_3 = op.Exp(mul_10)
    mul_11 = op.Mul(op.constant(0.5, like=x), growth_2)
    neg_2 = op.Neg(mul_11)
    exp_4 = op.Exp(neg_2)
    add_8 = op.Add(exp_3, exp_4)
    mul_12 = op.Mul(op.constant(0.5, like=x), add_8)
    steady = op.Div(mul_9, mul_12)
    add_9 = op.Add(degree, op.constant(0.5, like=n))
    mul_13 = op.Mul(add_9, growth_2)
    exp_5 = op.Exp(mul_13)
    add_10 = op.Add(degree, op.constant(0.5, like=n))
    mul_14 = op.Mul(add_10, growth_2)
    neg_3 = op.Neg(mul_14)
    exp_6 = op.Exp(neg_3)
    sub_2 = op.Sub(exp_5, exp_6)
    mul_15 = op.Mul(op.constant(0.5, like=n), sub_2)
    mul_16 = op.Mul(op.constant(0.5, like=x), growth_2)
    exp_7 = op.Exp(mul_16)
    mul_17 = op.Mul(op.constant(0.5, like=x), growth_2)
    neg_4 = op.Neg(mul_17)
    exp_8 = op.Exp(neg_4)
    sub_3 = op.Sub(exp_7, exp_8)
    mul_18 = op.Mul(op.constant(0.5, like=x), sub_3)
    rising = op.Div(mul_15, mul_18)
    is_left = op.Less(x, op.constant(0.0, like=x))
    equal = op.Equal(x, op.constant(1.0, like=x))
    mul_19 = op.Mul(op.constant(2.0, like=n), degree)
    add_11 = op.Add(mul_19, op.constant(1.0, like=n))
    near = op.Where(equal, add_11, odd)
    mul_20 = op.Mul(sign, steady)
    far = op.Where(is_left, mul_20, rising)
    less_2 = op.Less(degree, op.constant(0.0, like=n))
    mul_21 = op.Mul(op.constant(0.0, like=x), x)
    where = op.Where(inside, near, far)
    return op.Where(less_2, mul_21, where)


OP = _onnxop.Operator(
    name="aten::special_chebyshev_polynomial_w.default",
    existing="aten::special_chebyshev_polynomial_w.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_chebyshev_polynomial_w",
    doc="The operator aten::special_chebyshev_polynomial_w.",
    spec="sha256:10bac9b96cbdcdbe117bc43d9d2bfb98688ecc6ed00f01f258ab98a22d0969bf",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_chebyshev_polynomial_w.default


def special_chebyshev_polynomial_w(
    x: Tensor,
    n: Tensor,
) -> Tensor:
    """The operator aten::special_chebyshev_polynomial_w.

    Args:
        x: a tensor.
        n: a tensor.

    Returns:
        What PyTorch's aten::special_chebyshev_polynomial_w returns.
    """
    result: Tensor = _operator(
        x,
        n,
    )
    return result


class SpecialChebyshevPolynomialW(torch.nn.Module):
    """`special_chebyshev_polynomial_w` as a module."""

    def forward(
        self,
        x: Tensor,
        n: Tensor,
    ) -> Tensor:
        return special_chebyshev_polynomial_w(
            x,
            n,
        )
