"""aten::gcd: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::gcd in ONNX; `op` writes the nodes for the exporter that asks."""
    a = op.Abs(self)
    b = op.Abs(other)
    b_2, a_2 = b, a
    for step in range(92):
        is_done = op.Equal(b_2, op.constant(0, like=other))
        where = op.Where(is_done, op.constant(1, like=other), b_2)
        rest = op.Mod(a_2, where)
        larger = op.Where(is_done, a_2, b_2)
        b_3 = op.Where(is_done, b_2, rest)
        b_2, a_2 = b_3, larger
    mul = op.Mul(op.constant(0, like=other), other)
    return op.Add(a_2, mul)


OP = _onnxop.Operator(
    name="aten::gcd.default",
    existing="aten::gcd.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="gcd",
    doc="The operator aten::gcd.",
    spec="sha256:99a6a5450b6dadd8981baa2c0957ddfcbbc21f175f34c753c03c86fc6cef1e43",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.gcd.default


@_onnxop.script.scripted(OP)
def gcd(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::gcd.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::gcd returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Gcd(torch.nn.Module):
    """`gcd` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return gcd(
            input,
            other,
        )
