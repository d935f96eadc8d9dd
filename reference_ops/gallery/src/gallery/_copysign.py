"""aten::copysign: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::copysign in ONNX; `op` writes the nodes for the exporter that asks."""
    less = op.Less(other, op.constant(0.0, like=other))
    equal = op.Equal(other, op.constant(0.0, like=other))
    div = op.Div(op.constant(1.0, like=other), other)
    less_2 = op.Less(div, op.constant(0.0, like=other))
    and_2 = op.And(equal, less_2)
    is_negative = op.Or(less, and_2)
    size = op.Abs(self)
    neg = op.Neg(size)
    return op.Where(is_negative, neg, size)


OP = _onnxop.Operator(
    name="aten::copysign.Tensor",
    existing="aten::copysign.Tensor",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="copysign",
    doc="The operator aten::copysign.",
    spec="sha256:434095c0a8f4fcb05753cee16ec5c9e87b12a41673beedd279e4bc87756176c4",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.copysign.Tensor


@_onnxop.script.scripted(OP)
def copysign(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::copysign.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::copysign returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Copysign(torch.nn.Module):
    """`copysign` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return copysign(
            input,
            other,
        )
