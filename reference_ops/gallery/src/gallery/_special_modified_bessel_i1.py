"""aten::special_modified_bessel_i1: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::special_modified_bessel_i1 in ONNX; `op` writes the nodes for the exporter that asks."""
    a = op.Abs(self)
    div = op.Div(self, op.constant(3.75, like=self))
    div_2 = op.Div(self, op.constant(3.75, like=self))
    t = op.Mul(div, div_2)
    near = op.Mul(t, op.constant(0.0, like=self))
    near_2 = near
    for c in [0.00032411, 0.00301532, 0.02658733, 0.15084934, 0.51498869, 0.87890594, 0.5]:
        mul = op.Mul(near_2, t)
        near_3 = op.Add(mul, op.constant(c, like=self))
        near_2 = near_3
    max = op.Max(a, op.constant(3.75, like=self))
    u = op.Div(op.constant(3.75, like=self), max)
    far = op.Mul(u, op.constant(0.0, like=self))
    far_2 = far
    for c_2 in [-0.00420059, 0.01787654, -0.02895312, 0.02282967, -0.01031555, 0.00163801, -0.00362018, -0.03988024, 0.39894228]:  # fmt: skip
        mul_2 = op.Mul(far_2, u)
        far_3 = op.Add(mul_2, op.constant(c_2, like=self))
        far_2 = far_3
    less = op.Less(a, op.constant(3.75, like=self))
    mul_3 = op.Mul(near_2, self)
    exp = op.Exp(a)
    sign = op.Sign(self)
    mul_4 = op.Mul(exp, sign)
    mul_5 = op.Mul(mul_4, far_2)
    sqrt = op.Sqrt(a)
    div_3 = op.Div(mul_5, sqrt)
    return op.Where(less, mul_3, div_3)


OP = _onnxop.Operator(
    name="aten::special_modified_bessel_i1.default",
    existing="aten::special_modified_bessel_i1.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_modified_bessel_i1",
    doc="The operator aten::special_modified_bessel_i1.",
    spec="sha256:7461f9102a0e788e8ad6bca225b48d4f5c1b2611b3dcb145616ef8f35f45d6a9",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_modified_bessel_i1.default


@_onnxop.script.scripted(OP)
def special_modified_bessel_i1(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_modified_bessel_i1.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_modified_bessel_i1 returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialModifiedBesselI1(torch.nn.Module):
    """`special_modified_bessel_i1` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_modified_bessel_i1(
            input,
        )
