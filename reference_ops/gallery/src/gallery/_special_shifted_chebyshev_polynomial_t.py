"""aten::special_shifted_chebyshev_polynomial_t: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any, n: Any) -> Any:
    """aten::special_shifted_chebyshev_polynomial_t in ONNX; `op` writes the nodes for the exporter that asks."""
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
    mul_3 = op.Mul(degree, angle)
    near = op.Cos(mul_3)
    mul_4 = op.Mul(degree, growth_2)
    sub_2 = op.Sub(mul_4, op.constant(0.6931471805599453, like=n))
    exp = op.Exp(sub_2)
    mul_5 = op.Mul(sign, exp)
    mul_6 = op.Mul(op.constant(-2.0, like=n), degree)
    mul_7 = op.Mul(mul_6, growth_2)
    exp_2 = op.Exp(mul_7)
    add_3 = op.Add(op.constant(1.0, like=n), exp_2)
    far = op.Mul(mul_5, add_3)
    is_na_n = op.IsNaN(x)
    where = op.Where(inside, near, far)
    found = op.Where(is_na_n, x, where)
    equal = op.Equal(degree, op.constant(0.0, like=n))
    where_2 = op.Where(equal, op.constant(1.0, like=x), found)
    return op.Where(is_none, op.constant(0.0, like=x), where_2)


OP = _onnxop.Operator(
    name="aten::special_shifted_chebyshev_polynomial_t.default",
    existing="aten::special_shifted_chebyshev_polynomial_t.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_shifted_chebyshev_polynomial_t",
    doc="The operator aten::special_shifted_chebyshev_polynomial_t.",
    spec="sha256:90110d580169c7b6f96776d9bd7ac5bb646014f6604f9556c99e291a5c9285bd",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_shifted_chebyshev_polynomial_t.default


@_onnxop.script.scripted(OP)
def special_shifted_chebyshev_polynomial_t(
    x: Tensor,
    n: Tensor,
) -> Tensor:
    """The operator aten::special_shifted_chebyshev_polynomial_t.

    Args:
        x: a tensor.
        n: a tensor.

    Returns:
        What PyTorch's aten::special_shifted_chebyshev_polynomial_t returns.
    """
    result: Tensor = _operator(
        x,
        n,
    )
    return result


class SpecialShiftedChebyshevPolynomialT(torch.nn.Module):
    """`special_shifted_chebyshev_polynomial_t` as a module."""

    def forward(
        self,
        x: Tensor,
        n: Tensor,
    ) -> Tensor:
        return special_shifted_chebyshev_polynomial_t(
            x,
            n,
        )
