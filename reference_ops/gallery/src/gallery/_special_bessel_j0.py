"""aten::special_bessel_j0: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::special_bessel_j0 in ONNX; `op` writes the nodes for the exporter that asks."""
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
    max = op.Max(a, op.constant(3.0, like=self))
    u = op.Div(op.constant(3.0, like=self), max)
    f = op.Mul(u, op.constant(0.0, like=self))
    f_2 = f
    for c_2 in [0.00014476, -0.00072805, 0.00137237, -9.512e-05, -0.0055274, -7.7e-07, 0.79788456]:
        mul_2 = op.Mul(f_2, u)
        f_3 = op.Add(mul_2, op.constant(c_2, like=self))
        f_2 = f_3
    theta = op.Mul(u, op.constant(0.0, like=self))
    theta_2 = theta
    for c_3 in [0.00013558, -0.00029333, -0.00054125, 0.00262573, -3.954e-05, -0.04166397, -0.78539816]:  # fmt: skip
        mul_3 = op.Mul(theta_2, u)
        theta_3 = op.Add(mul_3, op.constant(c_3, like=self))
        theta_2 = theta_3
    theta_4 = op.Add(theta_2, a)
    less_or_equal = op.LessOrEqual(a, op.constant(3.0, like=self))
    cos = op.Cos(theta_4)
    mul_4 = op.Mul(f_2, cos)
    sqrt = op.Sqrt(a)
    div_3 = op.Div(mul_4, sqrt)
    return op.Where(less_or_equal, j_2, div_3)


OP = _onnxop.Operator(
    name="aten::special_bessel_j0.default",
    existing="aten::special_bessel_j0.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_bessel_j0",
    doc="The operator aten::special_bessel_j0.",
    spec="sha256:a038a68e4586da1520027f72bc516fc4f5bb0e6bcf00edff9416b62e7691cc10",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_bessel_j0.default


@_onnxop.script.scripted(OP)
def special_bessel_j0(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_bessel_j0.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_bessel_j0 returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialBesselJ0(torch.nn.Module):
    """`special_bessel_j0` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_bessel_j0(
            input,
        )
