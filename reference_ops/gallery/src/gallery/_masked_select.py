"""aten::masked_select: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, mask: Any) -> Any:
    """aten::masked_select in ONNX; `op` writes the nodes for the exporter that asks."""
    where = op.Where(mask, self, self)
    size = op.Shape(where)
    expand = op.Expand(self, size)
    reshape = op.Reshape(expand, op.constant([-1], like="INT64"))
    expand_2 = op.Expand(mask, size)
    reshape_2 = op.Reshape(expand_2, op.constant([-1], like="INT64"))
    return op.Compress(reshape, reshape_2, axis=0)


OP = _onnxop.Operator(
    name="aten::masked_select.default",
    existing="aten::masked_select.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="masked_select",
    doc="The operator aten::masked_select.",
    spec="sha256:c64df4b38f9fb19f49cb237c7d0598f72a924524283acecaecb9b527d0608fb6",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.masked_select.default


@_onnxop.script.scripted(OP)
def masked_select(
    self: Tensor,
    mask: Tensor,
) -> Tensor:
    """The operator aten::masked_select.

    Args:
        self: a tensor.
        mask: a tensor.

    Returns:
        What PyTorch's aten::masked_select returns.
    """
    result: Tensor = _operator(
        self,
        mask,
    )
    return result


class MaskedSelect(torch.nn.Module):
    """`masked_select` as a module."""

    def forward(
        self,
        input: Tensor,
        mask: Tensor,
    ) -> Tensor:
        return masked_select(
            input,
            mask,
        )
