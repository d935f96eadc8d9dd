"""aten::special_bessel_y0: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::special_bessel_y0 in ONNX; `op` writes the nodes for the exporter that asks."""
    a = op.Abs(self)
    div = op.Div(self, op.constant(3.0, like=self))
    div_2 = op.Div(self, op.constant(3.0, like=self))
    t = op.Mul(div, div_2)
    j = op.Mul(t, op.constant(0.0, like=self))
    j_2 = j
    for c in [0.00021, -0.0039444, 0.0444479, -0.3163866, 1.2656208, -2.2499997, 1.0]:
        mul = op.Mul(j_2, t)
        j_3 = op.Add(mul, op.constant(c, like=self))
        j_2 = j_3
    y = op.Mul(t, op.constant(0.0, like=self))
    y_2 = y
    for c_2 in [-0.00024846, 0.00427916, -0.04261214, 0.25300117, -0.74350384, 0.60559366, 0.36746691]:  # fmt: skip
        mul_2 = op.Mul(y_2, t)
        y_3 = op.Add(mul_2, op.constant(c_2, like=self))
        y_2 = y_3
    max = op.Max(a, op.constant(3.0, like=self))
    u = op.Div(op.constant(3.0, like=self), max)
    f = op.Mul(u, op.constant(0.0, like=self))
    f_2 = f
    for c_3 in [0.00014476, -0.00072805, 0.00137237, -9.512e-05, -0.0055274, -7.7e-07, 0.79788456]:
        mul_3 = op.Mul(f_2, u)
        f_3 = op.Add(mul_3, op.constant(c_3, like=self))
        f_2 = f_3
    theta = op.Mul(u, op.constant(0.0, like=self))
    theta_2 = theta
    for c_4 in [0.00013558, -0.00029333, -0.00054125, 0.00262573, -3.954e-05, -0.04166397, -0.78539816]:  # fmt: skip
        mul_4 = op.Mul(theta_2, u)
        theta_3 = op.Add(mul_4, op.constant(c_4, like=self))
        theta_2 = theta_3
    theta_4 = op.Add(theta_2, a)
    less_or_equal = op.LessOrEqual(self, op.constant(3.0, like=self))
    mul_5 = op.Mul(op.constant(0.5, like=self), self)
    log = op.Log(mul_5)
    mul_6 = op.Mul(op.constant(0.6366197723675814, like=self), log)
    mul_7 = op.Mul(mul_6, j_2)
    add = op.Add(mul_7, y_2)
    sin = op.Sin(theta_4)
    mul_8 = op.Mul(f_2, sin)
    sqrt = op.Sqrt(a)
    div_3 = op.Div(mul_8, sqrt)
    found = op.Where(less_or_equal, add, div_3)
    equal = op.Equal(self, op.constant(0.0, like=self))
    div_4 = op.Div(op.constant(-1.0, like=self), a)
    return op.Where(equal, div_4, found)


OP = _onnxop.Operator(
    name="aten::special_bessel_y0.default",
    existing="aten::special_bessel_y0.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_bessel_y0",
    doc="The operator aten::special_bessel_y0.",
    spec="sha256:5a206201a213871f93483f487b8161092a5316824c72b5fa44322b9b0ec269f1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_bessel_y0.default


@_onnxop.script.scripted(OP)
def special_bessel_y0(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_bessel_y0.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_bessel_y0 returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialBesselY0(torch.nn.Module):
    """`special_bessel_y0` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_bessel_y0(
            input,
        )
