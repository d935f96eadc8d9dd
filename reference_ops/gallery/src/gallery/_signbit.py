"""aten::signbit: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::signbit in ONNX; `op` writes the nodes for the exporter that asks."""
    is_zero = op.Equal(self, op.constant(0, like=self))
    less = op.Less(self, op.constant(0, like=self))
    cast = op.Cast(self, to=11)
    div = op.Div(op.constant(1.0, like="DOUBLE"), cast)
    less_2 = op.Less(div, op.constant(0.0, like="DOUBLE"))
    and_2 = op.And(is_zero, less_2)
    return op.Or(less, and_2)


OP = _onnxop.Operator(
    name="aten::signbit.default",
    existing="aten::signbit.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="signbit",
    doc="The operator aten::signbit.",
    spec="sha256:bc1870bc78073826441b2a67ee9d4570686d28c0f276ee0a8999ac34b7022274",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.signbit.default


@_onnxop.script.scripted(OP)
def signbit(
    self: Tensor,
) -> Tensor:
    """The operator aten::signbit.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::signbit returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Signbit(torch.nn.Module):
    """`signbit` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return signbit(
            input,
        )
