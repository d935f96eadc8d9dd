"""aten::column_stack: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, tensors: Any) -> Any:
    """aten::column_stack in ONNX; `op` writes the nodes for the exporter that asks."""
    columns = []
    for t in tensors:
        if op.rank(t) < 2:
            chosen = op.Reshape(t, op.constant([-1, 1], like="INT64"))
        else:
            chosen = op.Identity(t)
        columns.append(chosen)
    return op.Concat(*columns, axis=1)


OP = _onnxop.Operator(
    name="aten::column_stack.default",
    existing="aten::column_stack.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="column_stack",
    doc="The operator aten::column_stack.",
    spec="sha256:892eb04a30c54cae8a6ffc5e0f5c678183cb9f2ec857eba2eea5762b694b6fe7",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.column_stack.default


@_onnxop.script.scripted(OP)
def column_stack(
    tensors: Sequence[Tensor],
) -> Tensor:
    """The operator aten::column_stack.

    Args:
        tensors: a list of tensors.

    Returns:
        What PyTorch's aten::column_stack returns.
    """
    result: Tensor = _operator(
        tensors,
    )
    return result


class ColumnStack(torch.nn.Module):
    """`column_stack` as a module."""

    def forward(
        self,
        tensors: list[Tensor],
    ) -> Tensor:
        return column_stack(
            tensors,
        )
