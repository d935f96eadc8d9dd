"""aten::special_scaled_modified_bessel_k1: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any) -> Any:
    """aten::special_scaled_modified_bessel_k1 in ONNX; `op` writes the nodes for the exporter that asks."""
    div = op.Div(x, op.constant(3.75, like=x))
    div_2 = op.Div(x, op.constant(3.75, like=x))
    s = op.Mul(div, div_2)
    i = op.Mul(s, op.constant(0.0, like=x))
    i_2 = i
    for c in [0.00032411, 0.00301532, 0.02658733, 0.15084934, 0.51498869, 0.87890594, 0.5]:
        mul = op.Mul(i_2, s)
        i_3 = op.Add(mul, op.constant(c, like=x))
        i_2 = i_3
    mul_2 = op.Mul(op.constant(0.25, like=x), x)
    t = op.Mul(mul_2, x)
    near = op.Mul(t, op.constant(0.0, like=x))
    near_2 = near
    for c_2 in [-4.686e-05, -0.00110404, -0.01919402, -0.18156897, -0.67278579, 0.15443144, 1.0]:
        mul_3 = op.Mul(near_2, t)
        near_3 = op.Add(mul_3, op.constant(c_2, like=x))
        near_2 = near_3
    max = op.Max(x, op.constant(2.0, like=x))
    u = op.Div(op.constant(2.0, like=x), max)
    far = op.Mul(u, op.constant(0.0, like=x))
    far_2 = far
    for c_3 in [-0.00068245, 0.00325614, -0.00780353, 0.01504268, -0.0365562, 0.23498619, 1.25331414]:  # fmt: skip
        mul_4 = op.Mul(far_2, u)
        far_3 = op.Add(mul_4, op.constant(c_3, like=x))
        far_2 = far_3
    less_or_equal = op.LessOrEqual(x, op.constant(2.0, like=x))
    div_3 = op.Div(near_2, x)
    mul_5 = op.Mul(op.constant(0.5, like=x), x)
    log = op.Log(mul_5)
    mul_6 = op.Mul(log, i_2)
    mul_7 = op.Mul(mul_6, x)
    add = op.Add(div_3, mul_7)
    exp = op.Exp(x)
    mul_8 = op.Mul(add, exp)
    sqrt = op.Sqrt(x)
    div_4 = op.Div(far_2, sqrt)
    found = op.Where(less_or_equal, mul_8, div_4)
    equal = op.Equal(x, op.constant(0.0, like=x))
    abs = op.Abs(x)
    div_5 = op.Div(op.constant(1.0, like=x), abs)
    return op.Where(equal, div_5, found)


OP = _onnxop.Operator(
    name="aten::special_scaled_modified_bessel_k1.default",
    existing="aten::special_scaled_modified_bessel_k1.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_scaled_modified_bessel_k1",
    doc="The operator aten::special_scaled_modified_bessel_k1.",
    spec="sha256:ef7cf74a289b6f744f1b1efae1af6af9dd4112499941e8f39bda70d15e036606",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_scaled_modified_bessel_k1.default


@_onnxop.script.scripted(OP)
def special_scaled_modified_bessel_k1(
    x: Tensor,
) -> Tensor:
    """The operator aten::special_scaled_modified_bessel_k1.

    Args:
        x: a tensor.

    Returns:
        What PyTorch's aten::special_scaled_modified_bessel_k1 returns.
    """
    result: Tensor = _operator(
        x,
    )
    return result


class SpecialScaledModifiedBesselK1(torch.nn.Module):
    """`special_scaled_modified_bessel_k1` as a module."""

    def forward(
        self,
        x: Tensor,
    ) -> Tensor:
        return special_scaled_modified_bessel_k1(
            x,
        )
