"""aten::special_i0e: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::special_i0e in ONNX; `op` writes the nodes for the exporter that asks."""
    a = op.Abs(self)
    div = op.Div(self, op.constant(3.75, like=self))
    div_2 = op.Div(self, op.constant(3.75, like=self))
    t = op.Mul(div, div_2)
    near = op.Mul(t, op.constant(0.0, like=self))
    near_2 = near
    for c in [0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1.0]:
        mul = op.Mul(near_2, t)
        near_3 = op.Add(mul, op.constant(c, like=self))
        near_2 = near_3
    max = op.Max(a, op.constant(3.75, like=self))
    u = op.Div(op.constant(3.75, like=self), max)
    far = op.Mul(u, op.constant(0.0, like=self))
    far_2 = far
    for c_2 in [0.00392377, -0.01647633, 0.02635537, -0.02057706, 0.00916281, -0.00157565, 0.00225319, 0.01328592, 0.39894228]:  # fmt: skip
        mul_2 = op.Mul(far_2, u)
        far_3 = op.Add(mul_2, op.constant(c_2, like=self))
        far_2 = far_3
    less = op.Less(a, op.constant(3.75, like=self))
    neg = op.Neg(a)
    exp = op.Exp(neg)
    mul_3 = op.Mul(near_2, exp)
    sqrt = op.Sqrt(a)
    div_3 = op.Div(far_2, sqrt)
    return op.Where(less, mul_3, div_3)


OP = _onnxop.Operator(
    name="aten::special_i0e.default",
    existing="aten::special_i0e.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_i0e",
    doc="The operator aten::special_i0e.",
    spec="sha256:0f548fc86e6a5767096435e6ee0b713fcc62a93b0b4b6f110e4efea55a5b1405",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_i0e.default


@_onnxop.script.scripted(OP)
def special_i0e(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_i0e.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_i0e returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialI0e(torch.nn.Module):
    """`special_i0e` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_i0e(
            input,
        )
