"""aten::special_scaled_modified_bessel_k0: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any) -> Any:
    """aten::special_scaled_modified_bessel_k0 in ONNX; `op` writes the nodes for the exporter that asks."""
    div = op.Div(x, op.constant(3.75, like=x))
    div_2 = op.Div(x, op.constant(3.75, like=x))
    s = op.Mul(div, div_2)
    i = op.Mul(s, op.constant(0.0, like=x))
    i_2 = i
    for c in [0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1.0]:
        mul = op.Mul(i_2, s)
        i_3 = op.Add(mul, op.constant(c, like=x))
        i_2 = i_3
    mul_2 = op.Mul(op.constant(0.25, like=x), x)
    t = op.Mul(mul_2, x)
    near = op.Mul(t, op.constant(0.0, like=x))
    near_2 = near
    for c_2 in [7.4e-06, 0.0001075, 0.00262698, 0.0348859, 0.23069756, 0.4227842, -0.57721566]:
        mul_3 = op.Mul(near_2, t)
        near_3 = op.Add(mul_3, op.constant(c_2, like=x))
        near_2 = near_3
    max = op.Max(x, op.constant(2.0, like=x))
    u = op.Div(op.constant(2.0, like=x), max)
    far = op.Mul(u, op.constant(0.0, like=x))
    far_2 = far
    for c_3 in [0.00053208, -0.0025154, 0.00587872, -0.01062446, 0.02189568, -0.07832358, 1.25331414]:  # fmt: skip
        mul_4 = op.Mul(far_2, u)
        far_3 = op.Add(mul_4, op.constant(c_3, like=x))
        far_2 = far_3
    less_or_equal = op.LessOrEqual(x, op.constant(2.0, like=x))
    mul_5 = op.Mul(op.constant(0.5, like=x), x)
    log = op.Log(mul_5)
    mul_6 = op.Mul(log, i_2)
    sub = op.Sub(near_2, mul_6)
    exp = op.Exp(x)
    mul_7 = op.Mul(sub, exp)
    sqrt = op.Sqrt(x)
    div_3 = op.Div(far_2, sqrt)
    found = op.Where(less_or_equal, mul_7, div_3)
    equal = op.Equal(x, op.constant(0.0, like=x))
    abs = op.Abs(x)
    div_4 = op.Div(op.constant(1.0, like=x), abs)
    return op.Where(equal, div_4, found)


OP = _onnxop.Operator(
    name="aten::special_scaled_modified_bessel_k0.default",
    existing="aten::special_scaled_modified_bessel_k0.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_scaled_modified_bessel_k0",
    doc="The operator aten::special_scaled_modified_bessel_k0.",
    spec="sha256:7985d8c516bb07595e7d5ba00a6cb8e3a616b90ba006a03833c2eff2da7d13bf",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_scaled_modified_bessel_k0.default


@_onnxop.script.scripted(OP)
def special_scaled_modified_bessel_k0(
    x: Tensor,
) -> Tensor:
    """The operator aten::special_scaled_modified_bessel_k0.

    Args:
        x: a tensor.

    Returns:
        What PyTorch's aten::special_scaled_modified_bessel_k0 returns.
    """
    result: Tensor = _operator(
        x,
    )
    return result


class SpecialScaledModifiedBesselK0(torch.nn.Module):
    """`special_scaled_modified_bessel_k0` as a module."""

    def forward(
        self,
        x: Tensor,
    ) -> Tensor:
        return special_scaled_modified_bessel_k0(
            x,
        )
