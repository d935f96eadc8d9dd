"""aten::special_modified_bessel_i0: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::special_modified_bessel_i0 in ONNX; `op` writes the nodes for the exporter that asks."""
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
    exp = op.Exp(a)
    mul_3 = op.Mul(exp, far_2)
    sqrt = op.Sqrt(a)
    div_3 = op.Div(mul_3, sqrt)
    return op.Where(less, near_2, div_3)


OP = _onnxop.Operator(
    name="aten::special_modified_bessel_i0.default",
    existing="aten::special_modified_bessel_i0.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_modified_bessel_i0",
    doc="The operator aten::special_modified_bessel_i0.",
    spec="sha256:3f5751889ac41911a79b0476eecd3c132b1d74b41958e099a14d74bdc2bc5621",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_modified_bessel_i0.default


@_onnxop.script.scripted(OP)
def special_modified_bessel_i0(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_modified_bessel_i0.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_modified_bessel_i0 returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialModifiedBesselI0(torch.nn.Module):
    """`special_modified_bessel_i0` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_modified_bessel_i0(
            input,
        )
