"""aten::special_chebyshev_polynomial_t: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any, n: Any) -> Any:
    """aten::special_chebyshev_polynomial_t in ONNX; `op` writes the nodes for the exporter that asks."""
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
    mul_3 = op.Mul(degree, angle)
    near = op.Cos(mul_3)
    mul_4 = op.Mul(sign, op.constant(0.5, like=x))
    mul_5 = op.Mul(degree, growth_2)
    exp = op.Exp(mul_5)
    mul_6 = op.Mul(degree, growth_2)
    neg = op.Neg(mul_6)
    exp_2 = op.Exp(neg)
    add_3 = op.Add(exp, exp_2)
    far = op.Mul(mul_4, add_3)
    less_2 = op.Less(degree, op.constant(0.0, like=n))
    mul_7 = op.Mul(op.constant(0.0, like=x), x)
    where = op.Where(inside, near, far)
    return op.Where(less_2, mul_7, where)


OP = _onnxop.Operator(
    name="aten::special_chebyshev_polynomial_t.default",
    existing="aten::special_chebyshev_polynomial_t.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_chebyshev_polynomial_t",
    doc="The operator aten::special_chebyshev_polynomial_t.",
    spec="sha256:01ef579bbf803de7cc50e8ba3935ebbf465b61389329b4742bb472fc096d3e73",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_chebyshev_polynomial_t.default


def special_chebyshev_polynomial_t(
    x: Tensor,
    n: Tensor,
) -> Tensor:
    """The operator aten::special_chebyshev_polynomial_t.

    Args:
        x: a tensor.
        n: a tensor.

    Returns:
        What PyTorch's aten::special_chebyshev_polynomial_t returns.
    """
    result: Tensor = _operator(
        x,
        n,
    )
    return result


class SpecialChebyshevPolynomialT(torch.nn.Module):
    """`special_chebyshev_polynomial_t` as a module."""

    def forward(
        self,
        x: Tensor,
        n: Tensor,
    ) -> Tensor:
        return special_chebyshev_polynomial_t(
            x,
            n,
        )
