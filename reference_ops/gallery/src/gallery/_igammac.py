"""aten::igammac: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::igammac in ONNX; `op` writes the nodes for the exporter that asks."""
    z = op.Sub(self, op.constant(1.0, like=self))
    mul = op.Mul(z, op.constant(0.0, like=self))
    g = op.Add(mul, op.constant(0.9999999999998099, like=self))
    g_2 = g
    for k, c in enumerate([676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905, -0.13857109526572012, 9.984369578019572e-06, 1.5056327351493116e-07]):  # fmt: skip
        add = op.Add(z, op.constant(float(k + 1), like=self))
        div = op.Div(op.constant(c, like=self), add)
        g_3 = op.Add(g_2, div)
        g_2 = g_3
    t = op.Add(z, op.constant(7.5, like=self))
    add_2 = op.Add(z, op.constant(0.5, like=self))
    log = op.Log(t)
    mul_2 = op.Mul(add_2, log)
    add_3 = op.Add(op.constant(0.9189385332046727, like=self), mul_2)
    sub = op.Sub(add_3, t)
    log_2 = op.Log(g_2)
    log_gamma = op.Add(sub, log_2)
    log_3 = op.Log(other)
    mul_3 = op.Mul(self, log_3)
    sub_2 = op.Sub(mul_3, other)
    sub_3 = op.Sub(sub_2, log_gamma)
    scale = op.Exp(sub_3)
    div_2 = op.Div(op.constant(1.0, like=self), self)
    mul_4 = op.Mul(op.constant(0.0, like=other), other)
    term = op.Add(div_2, mul_4)
    term_2, series = term, term
    for k_2 in range(64):
        mul_5 = op.Mul(term_2, other)
        add_4 = op.Add(self, op.constant(float(k_2 + 1), like=self))
        term_3 = op.Div(mul_5, add_4)
        series_2 = op.Add(series, term_3)
        term_2, series = term_3, series_2
    lower = op.Mul(series, scale)
    add_5 = op.Add(other, op.constant(1.0, like=other))
    b = op.Sub(add_5, self)
    fraction = op.Mul(op.constant(0.0, like=other), b)
    fraction_2 = fraction
    for k_3 in range(48):
        sub_4 = op.Sub(self, op.constant(48.0 - k_3, like=self))
        mul_6 = op.Mul(op.constant(48.0 - k_3, like=self), sub_4)
        add_6 = op.Add(b, op.constant(2.0 * (48.0 - k_3), like=other))
        add_7 = op.Add(add_6, fraction_2)
        fraction_3 = op.Div(mul_6, add_7)
        fraction_2 = fraction_3
    add_8 = op.Add(b, fraction_2)
    upper = op.Div(scale, add_8)
    add_9 = op.Add(self, op.constant(1.0, like=self))
    is_series = op.Less(other, add_9)
    sub_5 = op.Sub(op.constant(1.0, like=self), lower)
    found = op.Where(is_series, sub_5, upper)
    equal = op.Equal(other, op.constant(0.0, like=other))
    mul_7 = op.Mul(op.constant(0.0, like=self), self)
    add_10 = op.Add(op.constant(1.0, like=self), mul_7)
    found_2 = op.Where(equal, add_10, found)
    equal_2 = op.Equal(self, op.constant(0.0, like=self))
    mul_8 = op.Mul(op.constant(0.0, like=other), other)
    return op.Where(equal_2, mul_8, found_2)


OP = _onnxop.Operator(
    name="aten::igammac.default",
    existing="aten::igammac.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="igammac",
    doc="The operator aten::igammac.",
    spec="sha256:440d86799eed8b8761f95b279d3f78b3e5a3a946dbd5d84d01feb9faf3aeb198",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.igammac.default


def igammac(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::igammac.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::igammac returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Igammac(torch.nn.Module):
    """`igammac` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return igammac(
            input,
            other,
        )
