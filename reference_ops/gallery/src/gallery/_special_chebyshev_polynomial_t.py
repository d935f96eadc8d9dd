"""aten::special_chebyshev_polynomial_t: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any, n: Any) -> Any:
    """aten::special_chebyshev_polynomial_t in ONNX; `op` writes the nodes for the exporter that asks."""
    abs = op.Abs(n)
    is_degree = op.Less(abs, op.constant(9e18, like=n))
    abs_2 = op.Abs(n)
    floor = op.Floor(abs_2)
    degree = op.Where(is_degree, floor, op.constant(0.0, like=n))
    not_2 = op.Not(is_degree)
    less_or_equal = op.LessOrEqual(n, op.constant(-1.0, like=n))
    is_none = op.Or(not_2, less_or_equal)
    abs_3 = op.Abs(x)
    inside = op.LessOrEqual(abs_3, op.constant(1.0, like=x))
    clip = op.Clip(x, op.constant(-1.0, like=x), op.constant(1.0, like=x))
    angle = op.Acos(clip)
    abs_4 = op.Abs(x)
    growth = op.Max(abs_4, op.constant(1.0, like=x))
    sub = op.Sub(growth, op.constant(1.0, like=x))
    sqrt = op.Sqrt(sub)
    add = op.Add(growth, op.constant(1.0, like=x))
    sqrt_2 = op.Sqrt(add)
    mul = op.Mul(sqrt, sqrt_2)
    add_2 = op.Add(growth, mul)
    growth_2 = op.Log(add_2)
    mod = op.Mod(degree, op.constant(2.0, like=n), fmod=1)
    is_odd = op.Equal(mod, op.constant(1.0, like=n))
    less = op.Less(x, op.constant(0.0, like=x))
    and_2 = op.And(less, is_odd)
    cast_like = op.CastLike(op.constant(-1.0, like="FLOAT"), x)
    sign = op.Where(and_2, cast_like, op.constant(1.0, like=x))
    mul_2 = op.Mul(degree, angle)
    near = op.Cos(mul_2)
    mul_3 = op.Mul(degree, growth_2)
    sub_2 = op.Sub(mul_3, op.constant(0.6931471805599453, like=n))
    exp = op.Exp(sub_2)
    mul_4 = op.Mul(sign, exp)
    mul_5 = op.Mul(op.constant(-2.0, like=n), degree)
    mul_6 = op.Mul(mul_5, growth_2)
    exp_2 = op.Exp(mul_6)
    add_3 = op.Add(op.constant(1.0, like=n), exp_2)
    far = op.Mul(mul_4, add_3)
    is_na_n = op.IsNaN(x)
    where = op.Where(inside, near, far)
    found = op.Where(is_na_n, x, where)
    equal = op.Equal(degree, op.constant(0.0, like=n))
    where_2 = op.Where(equal, op.constant(1.0, like=x), found)
    return op.Where(is_none, op.constant(0.0, like=x), where_2)


OP = _onnxop.Operator(
    name="aten::special_chebyshev_polynomial_t.default",
    existing="aten::special_chebyshev_polynomial_t.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_chebyshev_polynomial_t",
    doc="The operator aten::special_chebyshev_polynomial_t.",
    spec="sha256:0f6c3cd5a9058ff1fdc9120fb5a2a02f7a00d72ea34c3ab054e1b338207019e3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_chebyshev_polynomial_t.default


@_onnxop.script.scripted(OP)
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
