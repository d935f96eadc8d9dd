"""aten::fill: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, value: Any) -> Any:
    """aten::fill in ONNX; `op` writes the nodes for the exporter that asks."""
    cast_like = op.CastLike(value, self)
    shape = op.Shape(self)
    return op.Expand(cast_like, shape)


OP = _onnxop.Operator(
    name="aten::fill.Tensor",
    called="fill_tensor",
    existing="aten::fill.Tensor",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="fill_tensor",
    doc="The operator aten::fill.Tensor.",
    spec="sha256:170c36059cb05ae709e329b8246e101a920c390c6bab2ce88d8cea2a43799849",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fill.Tensor


@_onnxop.script.scripted(OP)
def fill_tensor(
    self: Tensor,
    value: Tensor,
) -> Tensor:
    """The operator aten::fill.Tensor.

    Args:
        self: a tensor.
        value: a tensor.

    Returns:
        What PyTorch's aten::fill returns.
    """
    result: Tensor = _operator(
        self,
        value,
    )
    return result


class FillTensor(torch.nn.Module):
    """`fill_tensor` as a module."""

    def forward(
        self,
        input: Tensor,
        value: Tensor,
    ) -> Tensor:
        return fill_tensor(
            input,
            value,
        )
