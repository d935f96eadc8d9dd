"""aten::igamma: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::igamma in ONNX; `op` writes the nodes for the exporter that asks."""
    is_na_n = op.IsNaN(self)
    abs = op.Abs(self)
    where = op.Where(is_na_n, op.constant(1.0, like=self), abs)
    a = op.Min(where, op.constant(64.0, like=self))
    is_na_n_2 = op.IsNaN(other)
    abs_2 = op.Abs(other)
    x = op.Where(is_na_n_2, op.constant(1.0, like=other), abs_2)
    div = op.Div(op.constant(676.5203681218851, like=self), a)
    g = op.Add(op.constant(0.9999999999998099, like=self), div)
    g_2 = g
    for k, c in enumerate([-1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905, -0.13857109526572012, 9.984369578019572e-06, 1.5056327351493116e-07]):  # fmt: skip
        add = op.Add(a, op.constant(float(k + 1), like=self))
        div_2 = op.Div(op.constant(c, like=self), add)
        g_3 = op.Add(g_2, div_2)
        g_2 = g_3
    t = op.Add(a, op.constant(6.5, like=self))
    sub = op.Sub(a, op.constant(0.5, like=self))
    log = op.Log(t)
    mul = op.Mul(sub, log)
    add_2 = op.Add(op.constant(0.9189385332046727, like=self), mul)
    sub_2 = op.Sub(add_2, t)
    log_2 = op.Log(g_2)
    log_gamma = op.Add(sub_2, log_2)
    x_2 = op.Min(x, op.constant(100000.0, like=other))
    log_3 = op.Log(x_2)
    mul_2 = op.Mul(a, log_3)
    sub_3 = op.Sub(mul_2, x_2)
    sub_4 = op.Sub(sub_3, log_gamma)
    scale = op.Exp(sub_4)
    term = op.Div(op.constant(1.0, like=self), a)
    add_3 = op.Add(a, op.constant(1.0, like=self))
    is_series = op.Less(x_2, add_3)
    near = op.Where(is_series, x_2, op.constant(0.0, like=other))
    term_2, series = term, term
    for k_2 in range(96):
        mul_3 = op.Mul(term_2, near)
        add_4 = op.Add(a, op.constant(float(k_2 + 1), like=self))
        term_3 = op.Div(mul_3, add_4)
        series_2 = op.Add(series, term_3)
        term_2, series = term_3, series_2
    add_5 = op.Add(x_2, op.constant(1.0, like=other))
    sub_5 = op.Sub(add_5, a)
    b = op.Where(is_series, op.constant(2.0, like=other), sub_5)
    sub_6 = op.Sub(a, op.constant(48.0, like=self))
    mul_4 = op.Mul(op.constant(48.0, like=self), sub_6)
    add_6 = op.Add(b, op.constant(96.0, like=other))
    fraction = op.Div(mul_4, add_6)
    fraction_2 = fraction
    for k_3 in range(47):
        sub_7 = op.Sub(a, op.constant(47.0 - k_3, like=self))
        mul_5 = op.Mul(op.constant(47.0 - k_3, like=self), sub_7)
        add_7 = op.Add(b, op.constant(2.0 * (47.0 - k_3), like=other))
        add_8 = op.Add(add_7, fraction_2)
        fraction_3 = op.Div(mul_5, add_8)
        fraction_2 = fraction_3
    mul_6 = op.Mul(series, scale)
    add_9 = op.Add(b, fraction_2)
    div_3 = op.Div(scale, add_9)
    sub_8 = op.Sub(op.constant(1.0, like=self), div_3)
    lower = op.Where(is_series, mul_6, sub_8)
    is_na_n_3 = op.IsNaN(self)
    where_2 = op.Where(is_na_n_3, op.constant(1.0, like=self), self)
    large = op.Max(where_2, op.constant(64.0, like=self))
    is_na_n_4 = op.IsNaN(other)
    where_3 = op.Where(is_na_n_4, op.constant(1.0, like=other), other)
    div_5 = op.Div(where_3, large)
    max = op.Max(div_5, op.constant(1e-30, like=other))
    ratio = op.Min(max, op.constant(1e30, like=other))
    step = op.Sub(ratio, op.constant(1.0, like=other))
    abs_3 = op.Abs(step)
    is_near = op.Less(abs_3, op.constant(0.1, like=other))
    log_4 = op.Log(ratio)
    exact = op.Sub(step, log_4)
    mul_8 = op.Mul(step, step)
    mul_9 = op.Mul(step, op.constant(0.14285714285714285, like=other))
    sub_10 = op.Sub(op.constant(0.16666666666666666, like=other), mul_9)
    mul_10 = op.Mul(step, sub_10)
    sub_11 = op.Sub(op.constant(0.2, like=other), mul_10)
    mul_11 = op.Mul(step, sub_11)
    sub_12 = op.Sub(op.constant(0.25, like=other), mul_11)
    mul_12 = op.Mul(step, sub_12)
    sub_13 = op.Sub(op.constant(0.3333333333333333, like=other), mul_12)
    mul_13 = op.Mul(step, sub_13)
    sub_14 = op.Sub(op.constant(0.5, like=other), mul_13)
    short = op.Mul(mul_8, sub_14)
    bulge = op.Where(is_near, short, exact)
    sign = op.Sign(step)
    mul_14 = op.Mul(op.constant(2.0, like=other), bulge)
    sqrt = op.Sqrt(mul_14)
    eta = op.Mul(sign, sqrt)
    abs_4 = op.Abs(step)
    less = op.Less(abs_4, op.constant(0.001, like=other))
    div_6 = op.Div(step, op.constant(12.0, like=other))
    add_11 = op.Add(op.constant(-0.3333333333333333, like=other), div_6)
    equal = op.Equal(step, op.constant(0.0, like=other))
    where_4 = op.Where(equal, op.constant(1.0, like=other), step)
    div_7 = op.Div(op.constant(1.0, like=other), where_4)
    equal_2 = op.Equal(eta, op.constant(0.0, like=other))
    where_5 = op.Where(equal_2, op.constant(1.0, like=other), eta)
    div_8 = op.Div(op.constant(1.0, like=other), where_5)
    sub_15 = op.Sub(div_7, div_8)
    odd = op.Where(less, add_11, sub_15)
    mul_15 = op.Mul(large, bulge)
    neg = op.Neg(mul_15)
    exp = op.Exp(neg)
    mul_16 = op.Mul(op.constant(6.283185307179586, like=self), large)
    sqrt_2 = op.Sqrt(mul_16)
    div_9 = op.Div(exp, sqrt_2)
    tail = op.Mul(div_9, odd)
    mul_17 = op.Mul(op.constant(0.5, like=self), large)
    sqrt_3 = op.Sqrt(mul_17)
    mul_18 = op.Mul(eta, sqrt_3)
    error = op.Erf(mul_18)
    is_large = op.Greater(self, op.constant(64.0, like=self))
    constant_2 = op.Constant(value_float=-(float("inf") - float("inf")))
    nan = op.CastLike(constant_2, self)
    mul_19 = op.Mul(op.constant(0.5, like=other), error)
    add_12 = op.Add(op.constant(0.5, like=other), mul_19)
    sub_16 = op.Sub(add_12, tail)
    found = op.Where(is_large, sub_16, lower)
    is_na_n_5 = op.IsNaN(self)
    is_na_n_6 = op.IsNaN(other)
    or_2 = op.Or(is_na_n_5, is_na_n_6)
    found_2 = op.Where(or_2, nan, found)
    is_inf = op.IsInf(other)
    found_3 = op.Where(is_inf, op.constant(1.0, like=self), found_2)
    is_inf_2 = op.IsInf(self)
    is_inf_3 = op.IsInf(other)
    where_6 = op.Where(is_inf_3, nan, op.constant(0.0, like=self))
    found_4 = op.Where(is_inf_2, where_6, found_3)
    equal_3 = op.Equal(other, op.constant(0.0, like=other))
    found_5 = op.Where(equal_3, op.constant(0.0, like=self), found_4)
    equal_4 = op.Equal(self, op.constant(0.0, like=self))
    greater = op.Greater(other, op.constant(0.0, like=other))
    where_7 = op.Where(greater, op.constant(1.0, like=self), nan)
    found_6 = op.Where(equal_4, where_7, found_5)
    less_2 = op.Less(self, op.constant(0.0, like=self))
    less_3 = op.Less(other, op.constant(0.0, like=other))
    or_3 = op.Or(less_2, less_3)
    return op.Where(or_3, nan, found_6)


OP = _onnxop.Operator(
    name="aten::igamma.default",
    existing="aten::igamma.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="igamma",
    doc="The operator aten::igamma.",
    spec="sha256:98666f645a5d757409b84a72fb32e45c25e5d74ee627f264d14b6cbb2fc62eed",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.igamma.default


@_onnxop.script.scripted(OP)
def igamma(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::igamma.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::igamma returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Igamma(torch.nn.Module):
    """`igamma` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return igamma(
            input,
            other,
        )
