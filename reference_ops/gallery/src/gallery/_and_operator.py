"""aten::__and__: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::__and__ in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.BitwiseAnd(self, other)


OP = _onnxop.Operator(
    name="aten::__and__.Tensor",
    called="and_operator",
    existing="aten::__and__.Tensor",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="and_operator",
    doc="The operator aten::__and__.Tensor.",
    spec="sha256:503fdefeb5a65dc6e1f23ad918271d6e5a413fb670ae578731457cf503b4416b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.__and__.Tensor


@_onnxop.script.scripted(OP)
def and_operator(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::__and__.Tensor.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::__and__ returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class AndOperator(torch.nn.Module):
    """`and_operator` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return and_operator(
            input,
            other,
        )
