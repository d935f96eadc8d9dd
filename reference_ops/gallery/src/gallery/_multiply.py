"""aten::multiply: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::multiply in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.Mul(self, other)


OP = _onnxop.Operator(
    name="aten::multiply.Tensor",
    existing="aten::multiply.Tensor",
    rules={
        range(14, 26): rule,
    },
    torchscript=range(14, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="multiply",
    doc="The operator aten::multiply.",
    spec="sha256:96025d9db7e4d8b088a37c8bc086c0457dcefe9d9d489a9e66e8eb97d536bb1d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.multiply.Tensor


@_onnxop.script.scripted(OP)
def multiply(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::multiply.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::multiply returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Multiply(torch.nn.Module):
    """`multiply` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return multiply(
            input,
            other,
        )
