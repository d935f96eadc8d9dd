"""aten::less: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::less in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.Less(self, other)


OP = _onnxop.Operator(
    name="aten::less.Tensor",
    existing="aten::less.Tensor",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="less",
    doc="The operator aten::less.",
    spec="sha256:87f75dcd234eec41a6121d903683b448218de73d48ebc5f8dd52ebe456c2b058",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.less.Tensor


@_onnxop.script.scripted(OP)
def less(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::less.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::less returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Less(torch.nn.Module):
    """`less` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return less(
            input,
            other,
        )
