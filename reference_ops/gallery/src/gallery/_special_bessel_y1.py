"""aten::special_bessel_y1: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::special_bessel_y1 in ONNX; `op` writes the nodes for the exporter that asks."""
    a = op.Abs(self)
    div = op.Div(self, op.constant(3.0, like=self))
    div_2 = op.Div(self, op.constant(3.0, like=self))
    t = op.Mul(div, div_2)
    j = op.Mul(t, op.constant(0.0, like=self))
    j_2 = j
    for c in [1.109e-05, -0.00031761, 0.00443319, -0.03954289, 0.21093573, -0.56249985, 0.5]:
        mul = op.Mul(j_2, t)
        j_3 = op.Add(mul, op.constant(c, like=self))
        j_2 = j_3
    y = op.Mul(t, op.constant(0.0, like=self))
    y_2 = y
    for c_2 in [0.0027873, -0.0400976, 0.3123951, -1.3164827, 2.1682709, 0.2212091, -0.6366198]:
        mul_2 = op.Mul(y_2, t)
        y_3 = op.Add(mul_2, op.constant(c_2, like=self))
        y_2 = y_3
    max = op.Max(a, op.constant(3.0, like=self))
    u = op.Div(op.constant(3.0, like=self), max)
    f = op.Mul(u, op.constant(0.0, like=self))
    f_2 = f
    for c_3 in [-0.00020033, 0.00113653, -0.00249511, 0.00017105, 0.01659667, 1.56e-06, 0.79788456]:
        mul_3 = op.Mul(f_2, u)
        f_3 = op.Add(mul_3, op.constant(c_3, like=self))
        f_2 = f_3
    theta = op.Mul(u, op.constant(0.0, like=self))
    theta_2 = theta
    for c_4 in [-0.00029166, 0.00079824, 0.00074348, -0.00637879, 5.65e-05, 0.12499612, -2.35619449]:  # fmt: skip
        mul_4 = op.Mul(theta_2, u)
        theta_3 = op.Add(mul_4, op.constant(c_4, like=self))
        theta_2 = theta_3
    theta_4 = op.Add(theta_2, a)
    less_or_equal = op.LessOrEqual(self, op.constant(3.0, like=self))
    mul_5 = op.Mul(op.constant(0.5, like=self), self)
    log = op.Log(mul_5)
    mul_6 = op.Mul(op.constant(0.6366197723675814, like=self), log)
    mul_7 = op.Mul(mul_6, j_2)
    mul_8 = op.Mul(mul_7, self)
    div_3 = op.Div(y_2, self)
    add = op.Add(mul_8, div_3)
    sin = op.Sin(theta_4)
    mul_9 = op.Mul(f_2, sin)
    sqrt = op.Sqrt(a)
    div_4 = op.Div(mul_9, sqrt)
    found = op.Where(less_or_equal, add, div_4)
    equal = op.Equal(self, op.constant(0.0, like=self))
    div_5 = op.Div(op.constant(-1.0, like=self), a)
    return op.Where(equal, div_5, found)


OP = _onnxop.Operator(
    name="aten::special_bessel_y1.default",
    existing="aten::special_bessel_y1.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_bessel_y1",
    doc="The operator aten::special_bessel_y1.",
    spec="sha256:29289948a2dfde3a25403d645b19ce08f33e5e639711334293e94e87fdf8ee52",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_bessel_y1.default


@_onnxop.script.scripted(OP)
def special_bessel_y1(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_bessel_y1.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_bessel_y1 returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialBesselY1(torch.nn.Module):
    """`special_bessel_y1` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_bessel_y1(
            input,
        )
