"""aten::special_shifted_chebyshev_polynomial_u: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any, n: Any) -> Any:
    """aten::special_shifted_chebyshev_polynomial_u in ONNX; `op` writes the nodes for the exporter that asks."""
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
    add_3 = op.Add(degree, op.constant(1.0, like=n))
    mul_4 = op.Mul(add_3, angle)
    sin = op.Sin(mul_4)
    sin_2 = op.Sin(angle)
    near = op.Div(sin, sin_2)
    add_4 = op.Add(degree, op.constant(1.0, like=n))
    mul_5 = op.Mul(add_4, growth_2)
    exp = op.Exp(mul_5)
    add_5 = op.Add(degree, op.constant(1.0, like=n))
    mul_6 = op.Mul(add_5, growth_2)
    neg = op.Neg(mul_6)
    exp_2 = op.Exp(neg)
    sub_2 = op.Sub(exp, exp_2)
    mul_7 = op.Mul(op.constant(0.5, like=n), sub_2)
    mul_8 = op.Mul(sign, mul_7)
    exp_3 = op.Exp(growth_2)
    neg_2 = op.Neg(growth_2)
    exp_4 = op.Exp(neg_2)
    sub_3 = op.Sub(exp_3, exp_4)
    mul_9 = op.Mul(op.constant(0.5, like=x), sub_3)
    far = op.Div(mul_8, mul_9)
    add_6 = op.Add(degree, op.constant(1.0, like=n))
    at_end = op.Mul(sign, add_6)
    abs_3 = op.Abs(y)
    equal = op.Equal(abs_3, op.constant(1.0, like=x))
    near_2 = op.Where(equal, at_end, near)
    less_2 = op.Less(degree, op.constant(0.0, like=n))
    mul_10 = op.Mul(op.constant(0.0, like=x), x)
    where = op.Where(inside, near_2, far)
    return op.Where(less_2, mul_10, where)


OP = _onnxop.Operator(
    name="aten::special_shifted_chebyshev_polynomial_u.default",
    existing="aten::special_shifted_chebyshev_polynomial_u.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_shifted_chebyshev_polynomial_u",
    doc="The operator aten::special_shifted_chebyshev_polynomial_u.",
    spec="sha256:6dcf826eea1c1118650f459e5be6576a01edf9fd8385ab407d4c2385df2d4bcf",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_shifted_chebyshev_polynomial_u.default


def special_shifted_chebyshev_polynomial_u(
    x: Tensor,
    n: Tensor,
) -> Tensor:
    """The operator aten::special_shifted_chebyshev_polynomial_u.

    Args:
        x: a tensor.
        n: a tensor.

    Returns:
        What PyTorch's aten::special_shifted_chebyshev_polynomial_u returns.
    """
    result: Tensor = _operator(
        x,
        n,
    )
    return result


class SpecialShiftedChebyshevPolynomialU(torch.nn.Module):
    """`special_shifted_chebyshev_polynomial_u` as a module."""

    def forward(
        self,
        x: Tensor,
        n: Tensor,
    ) -> Tensor:
        return special_shifted_chebyshev_polynomial_u(
            x,
            n,
        )
