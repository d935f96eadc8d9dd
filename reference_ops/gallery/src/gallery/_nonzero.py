"""aten::nonzero: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::nonzero in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        reshape = op.Reshape(self, op.constant([1], like="INT64"))
        non_zero = op.NonZero(reshape)
        transpose = op.Transpose(non_zero, perm=[1, 0])
        result_3 = op.Slice(
            transpose,
            op.constant([0], like="INT64"),
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
        )
    else:
        non_zero_2 = op.NonZero(self)
        result_3 = op.Transpose(non_zero_2, perm=[1, 0])
    return result_3


OP = _onnxop.Operator(
    name="aten::nonzero.default",
    existing="aten::nonzero.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="nonzero",
    doc="The operator aten::nonzero.",
    spec="sha256:f29564e27d5b9b048a47f390af5deda1e842b9cf7fa2388d6a6129522f823288",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nonzero.default


@_onnxop.script.scripted(OP)
def nonzero(
    self: Tensor,
) -> Tensor:
    """The operator aten::nonzero.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::nonzero returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Nonzero(torch.nn.Module):
    """`nonzero` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return nonzero(
            input,
        )
