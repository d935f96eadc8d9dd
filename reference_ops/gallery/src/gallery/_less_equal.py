"""aten::less_equal: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::less_equal in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.LessOrEqual(self, other)


OP = _onnxop.Operator(
    name="aten::less_equal.Tensor",
    existing="aten::less_equal.Tensor",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="less_equal",
    doc="The operator aten::less_equal.",
    spec="sha256:55cdd0134d8fd1ce37f378c1a16007d8d45b134aec8e9ffe6c149539b6afc8d6",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.less_equal.Tensor


@_onnxop.script.scripted(OP)
def less_equal(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::less_equal.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::less_equal returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class LessEqual(torch.nn.Module):
    """`less_equal` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return less_equal(
            input,
            other,
        )
