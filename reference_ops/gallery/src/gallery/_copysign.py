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
    is_na_n = op.IsNaN(self)
    abs = op.Abs(self)
    size = op.Where(is_na_n, self, abs)
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
    spec="sha256:b4e01037bfa84dff8e85b5570e4cbf663a95a1e975ff943d8d10c48c76a4c452",
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
