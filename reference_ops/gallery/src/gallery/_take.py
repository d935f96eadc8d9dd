"""aten::take: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, index: Any) -> Any:
    """aten::take in ONNX; `op` writes the nodes for the exporter that asks."""
    reshape = op.Reshape(self, op.constant([-1], like="INT64"))
    return op.Gather(reshape, index)


OP = _onnxop.Operator(
    name="aten::take.default",
    existing="aten::take.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="take",
    doc="The operator aten::take.",
    spec="sha256:1c8b1d7f1edaf6fc3422e0c13ae33243a957eb236770e714b6b2a65cbcbdce81",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.take.default


@_onnxop.script.scripted(OP)
def take(
    self: Tensor,
    index: Tensor,
) -> Tensor:
    """The operator aten::take.

    Args:
        self: a tensor.
        index: a tensor.

    Returns:
        What PyTorch's aten::take returns.
    """
    result: Tensor = _operator(
        self,
        index,
    )
    return result


class Take(torch.nn.Module):
    """`take` as a module."""

    def forward(
        self,
        input: Tensor,
        index: Tensor,
    ) -> Tensor:
        return take(
            input,
            index,
        )
