"""aten::__or__: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::__or__ in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.BitwiseOr(self, other)


OP = _onnxop.Operator(
    name="aten::__or__.Tensor",
    called="or_operator",
    existing="aten::__or__.Tensor",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="or_operator",
    doc="The operator aten::__or__.Tensor.",
    spec="sha256:e85ebceb09ef98201330301f3cd083be314ceae3d08416e4279312dde0f4da3e",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.__or__.Tensor


@_onnxop.script.scripted(OP)
def or_operator(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::__or__.Tensor.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::__or__ returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class OrOperator(torch.nn.Module):
    """`or_operator` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return or_operator(
            input,
            other,
        )
