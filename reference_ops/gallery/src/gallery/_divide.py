"""aten::divide: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::divide in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.Div(self, other)


OP = _onnxop.Operator(
    name="aten::divide.Tensor",
    existing="aten::divide.Tensor",
    rules={
        range(14, 26): rule,
    },
    torchscript=range(14, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="divide",
    doc="The operator aten::divide.",
    spec="sha256:91e7c43b34999c38b1dec00a9c3db63f43e4b7ad167a486962cd1d0de4d08caa",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.divide.Tensor


@_onnxop.script.scripted(OP)
def divide(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::divide.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::divide returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Divide(torch.nn.Module):
    """`divide` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return divide(
            input,
            other,
        )
