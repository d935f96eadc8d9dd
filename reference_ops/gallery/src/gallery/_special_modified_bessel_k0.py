"""aten::special_modified_bessel_k0: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::special_modified_bessel_k0 in ONNX; `op` writes the nodes for the exporter that asks."""
    div = op.Div(self, op.constant(3.75, like=self))
    div_2 = op.Div(self, op.constant(3.75, like=self))
    s = op.Mul(div, div_2)
    i = op.Mul(s, op.constant(0.0, like=self))
    i_2 = i
    for c in [0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1.0]:
        mul = op.Mul(i_2, s)
        i_3 = op.Add(mul, op.constant(c, like=self))
        i_2 = i_3
    mul_2 = op.Mul(op.constant(0.25, like=self), self)
    t = op.Mul(mul_2, self)
    near = op.Mul(t, op.constant(0.0, like=self))
    near_2 = near
    for c_2 in [7.4e-06, 0.0001075, 0.00262698, 0.0348859, 0.23069756, 0.4227842, -0.57721566]:
        mul_3 = op.Mul(near_2, t)
        near_3 = op.Add(mul_3, op.constant(c_2, like=self))
        near_2 = near_3
    max = op.Max(self, op.constant(2.0, like=self))
    u = op.Div(op.constant(2.0, like=self), max)
    far = op.Mul(u, op.constant(0.0, like=self))
    far_2 = far
    for c_3 in [0.00053208, -0.0025154, 0.00587872, -0.01062446, 0.02189568, -0.07832358, 1.25331414]:  # fmt: skip
        mul_4 = op.Mul(far_2, u)
        far_3 = op.Add(mul_4, op.constant(c_3, like=self))
        far_2 = far_3
    less_or_equal = op.LessOrEqual(self, op.constant(2.0, like=self))
    mul_5 = op.Mul(op.constant(0.5, like=self), self)
    log = op.Log(mul_5)
    mul_6 = op.Mul(log, i_2)
    sub = op.Sub(near_2, mul_6)
    neg = op.Neg(self)
    exp = op.Exp(neg)
    mul_7 = op.Mul(exp, far_2)
    sqrt = op.Sqrt(self)
    div_3 = op.Div(mul_7, sqrt)
    found = op.Where(less_or_equal, sub, div_3)
    equal = op.Equal(self, op.constant(0.0, like=self))
    abs = op.Abs(self)
    div_4 = op.Div(op.constant(1.0, like=self), abs)
    return op.Where(equal, div_4, found)


OP = _onnxop.Operator(
    name="aten::special_modified_bessel_k0.default",
    existing="aten::special_modified_bessel_k0.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_modified_bessel_k0",
    doc="The operator aten::special_modified_bessel_k0.",
    spec="sha256:3053c4fe2134e0c23fc1c8d404fcbffe61fa905148df7df7f2bc0a142c661113",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_modified_bessel_k0.default


@_onnxop.script.scripted(OP)
def special_modified_bessel_k0(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_modified_bessel_k0.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_modified_bessel_k0 returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialModifiedBesselK0(torch.nn.Module):
    """`special_modified_bessel_k0` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_modified_bessel_k0(
            input,
        )
