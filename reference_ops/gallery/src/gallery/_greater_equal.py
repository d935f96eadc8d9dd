"""aten::greater_equal: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::greater_equal in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.GreaterOrEqual(self, other)


OP = _onnxop.Operator(
    name="aten::greater_equal.Tensor",
    existing="aten::greater_equal.Tensor",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="greater_equal",
    doc="The operator aten::greater_equal.",
    spec="sha256:b3f82f7681f90c408dca90f10b704e25e4723221fffdf3b52bf3e857ffc1223b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.greater_equal.Tensor


@_onnxop.script.scripted(OP)
def greater_equal(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::greater_equal.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::greater_equal returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class GreaterEqual(torch.nn.Module):
    """`greater_equal` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return greater_equal(
            input,
            other,
        )
