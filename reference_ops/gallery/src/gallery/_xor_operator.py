"""aten::__xor__: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::__xor__ in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.BitwiseXor(self, other)


OP = _onnxop.Operator(
    name="aten::__xor__.Tensor",
    called="xor_operator",
    existing="aten::__xor__.Tensor",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="xor_operator",
    doc="The operator aten::__xor__.Tensor.",
    spec="sha256:c9992dc17b989c3055e5da38b34afd8d83d019d8b910822c26d2af27fe1580af",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.__xor__.Tensor


@_onnxop.script.scripted(OP)
def xor_operator(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::__xor__.Tensor.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::__xor__ returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class XorOperator(torch.nn.Module):
    """`xor_operator` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return xor_operator(
            input,
            other,
        )
