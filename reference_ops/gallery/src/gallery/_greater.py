"""aten::greater: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::greater in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.Greater(self, other)


OP = _onnxop.Operator(
    name="aten::greater.Tensor",
    existing="aten::greater.Tensor",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="greater",
    doc="The operator aten::greater.",
    spec="sha256:56df515a9e6524e6fbd0f82a23186e76ba9e8e75603ab9f844b2e6b990ac7683",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.greater.Tensor


@_onnxop.script.scripted(OP)
def greater(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::greater.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::greater returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Greater(torch.nn.Module):
    """`greater` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return greater(
            input,
            other,
        )
