"""aten::special_legendre_polynomial_p: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any, n: Any) -> Any:
    """aten::special_legendre_polynomial_p in ONNX; `op` writes the nodes for the exporter that asks."""
    abs = op.Abs(n)
    less = op.Less(abs, op.constant(1000000000.0, like=n))
    abs_2 = op.Abs(n)
    floor = op.Floor(abs_2)
    degree = op.Where(less, floor, op.constant(1000000000.0, like=n))
    less_2 = op.Less(x, degree)
    shape = op.Shape(less_2)
    whole = op.Expand(x, shape)
    cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), x)
    shape_2 = op.Shape(whole)
    before = op.Expand(cast_like, shape_2)
    x_2 = op.Identity(whole)
    last = op.Identity(x_2)
    equal = op.Equal(degree, op.constant(0.0, like=n))
    equal_2 = op.Equal(degree, op.constant(1.0, like=n))
    constant_2 = op.Constant(value_float=-(float("inf") - float("inf")))
    cast_like_2 = op.CastLike(constant_2, x_2)
    where = op.Where(equal_2, last, cast_like_2)
    found = op.Where(equal, before, where)
    found_2, before_2, last_2 = found, before, last
    for k in range(127):
        mul = op.Mul(op.constant(float(2 * k + 3), like=x), x_2)
        mul_2 = op.Mul(mul, last_2)
        mul_3 = op.Mul(op.constant(float(k + 1), like=x), before_2)
        sub = op.Sub(mul_2, mul_3)
        new = op.Div(sub, op.constant(float(k + 2), like=x))
        equal_3 = op.Equal(degree, op.constant(float(k + 2), like=n))
        found_3 = op.Where(equal_3, new, found_2)
        found_2, before_2, last_2 = found_3, last_2, new
    less_or_equal = op.LessOrEqual(n, op.constant(-1.0, like=n))
    abs_3 = op.Abs(n)
    less_3 = op.Less(abs_3, op.constant(9e18, like=n))
    not_2 = op.Not(less_3)
    or_2 = op.Or(less_or_equal, not_2)
    return op.Where(or_2, op.constant(0.0, like=x), found_2)


OP = _onnxop.Operator(
    name="aten::special_legendre_polynomial_p.default",
    existing="aten::special_legendre_polynomial_p.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_legendre_polynomial_p",
    doc="The operator aten::special_legendre_polynomial_p.",
    spec="sha256:3c0435767b77ba1aac1698948f43fc36866f718cc09173762cdd5a1c93fb955b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_legendre_polynomial_p.default


@_onnxop.script.scripted(OP)
def special_legendre_polynomial_p(
    x: Tensor,
    n: Tensor,
) -> Tensor:
    """The operator aten::special_legendre_polynomial_p.

    Args:
        x: a tensor.
        n: a tensor.

    Returns:
        What PyTorch's aten::special_legendre_polynomial_p returns.
    """
    result: Tensor = _operator(
        x,
        n,
    )
    return result


class SpecialLegendrePolynomialP(torch.nn.Module):
    """`special_legendre_polynomial_p` as a module."""

    def forward(
        self,
        x: Tensor,
        n: Tensor,
    ) -> Tensor:
        return special_legendre_polynomial_p(
            x,
            n,
        )
