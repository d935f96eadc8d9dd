"""aten::special_bessel_j1: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::special_bessel_j1 in ONNX; `op` writes the nodes for the exporter that asks."""
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
    max = op.Max(a, op.constant(3.0, like=self))
    u = op.Div(op.constant(3.0, like=self), max)
    f = op.Mul(u, op.constant(0.0, like=self))
    f_2 = f
    for c_2 in [-0.00020033, 0.00113653, -0.00249511, 0.00017105, 0.01659667, 1.56e-06, 0.79788456]:
        mul_2 = op.Mul(f_2, u)
        f_3 = op.Add(mul_2, op.constant(c_2, like=self))
        f_2 = f_3
    theta = op.Mul(u, op.constant(0.0, like=self))
    theta_2 = theta
    for c_3 in [-0.00029166, 0.00079824, 0.00074348, -0.00637879, 5.65e-05, 0.12499612, -2.35619449]:  # fmt: skip
        mul_3 = op.Mul(theta_2, u)
        theta_3 = op.Add(mul_3, op.constant(c_3, like=self))
        theta_2 = theta_3
    theta_4 = op.Add(theta_2, a)
    less_or_equal = op.LessOrEqual(a, op.constant(3.0, like=self))
    mul_4 = op.Mul(j_2, self)
    sign = op.Sign(self)
    mul_5 = op.Mul(sign, f_2)
    cos = op.Cos(theta_4)
    mul_6 = op.Mul(mul_5, cos)
    sqrt = op.Sqrt(a)
    div_3 = op.Div(mul_6, sqrt)
    return op.Where(less_or_equal, mul_4, div_3)


OP = _onnxop.Operator(
    name="aten::special_bessel_j1.default",
    existing="aten::special_bessel_j1.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_bessel_j1",
    doc="The operator aten::special_bessel_j1.",
    spec="sha256:075edb7516f92fce50e26e339d3fa4d7cc4db6186595e8115290f9f9ad247c0b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_bessel_j1.default


@_onnxop.script.scripted(OP)
def special_bessel_j1(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_bessel_j1.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_bessel_j1 returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialBesselJ1(torch.nn.Module):
    """`special_bessel_j1` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_bessel_j1(
            input,
        )
