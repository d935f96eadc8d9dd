"""aten::special_erfcx: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::special_erfcx in ONNX; `op` writes the nodes for the exporter that asks."""
    a = op.Abs(self)
    mul = op.Mul(op.constant(0.5, like=self), a)
    add = op.Add(op.constant(1.0, like=self), mul)
    t = op.Div(op.constant(1.0, like=self), add)
    p = op.Mul(t, op.constant(0.0, like=self))
    p_2 = p
    for c in [0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223]:  # fmt: skip
        mul_2 = op.Mul(p_2, t)
        p_3 = op.Add(mul_2, op.constant(c, like=self))
        p_2 = p_3
    exp = op.Exp(p_2)
    scaled = op.Mul(t, exp)
    less = op.Less(self, op.constant(0.0, like=self))
    mul_3 = op.Mul(self, self)
    exp_2 = op.Exp(mul_3)
    mul_4 = op.Mul(op.constant(2.0, like=self), exp_2)
    sub = op.Sub(mul_4, scaled)
    return op.Where(less, sub, scaled)


OP = _onnxop.Operator(
    name="aten::special_erfcx.default",
    existing="aten::special_erfcx.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_erfcx",
    doc="The operator aten::special_erfcx.",
    spec="sha256:4ca8d654ddb84640a4d9f10128ef42419af8834fbc69010335593ee4113fb729",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_erfcx.default


@_onnxop.script.scripted(OP)
def special_erfcx(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_erfcx.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_erfcx returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialErfcx(torch.nn.Module):
    """`special_erfcx` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_erfcx(
            input,
        )
