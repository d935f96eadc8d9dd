"""aten::dstack: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, tensors: Any) -> Any:
    """aten::dstack in ONNX; `op` writes the nodes for the exporter that asks."""
    solids = []
    for t in tensors:
        if op.rank(t) < 2:
            chosen_2 = op.Reshape(t, op.constant([1, -1, 1], like="INT64"))
        else:
            if op.rank(t) == 2:
                chosen = op.Unsqueeze(t, op.constant([2], like="INT64"))
            else:
                chosen = op.Identity(t)
            chosen_2 = chosen
        solids.append(chosen_2)
    return op.Concat(*solids, axis=2)


OP = _onnxop.Operator(
    name="aten::dstack.default",
    existing="aten::dstack.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="dstack",
    doc="The operator aten::dstack.",
    spec="sha256:ee14f961d4aa5b7b9f2a0f250a374bcc4553e10d325dc0590ed1f26003084c5d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.dstack.default


@_onnxop.script.scripted(OP)
def dstack(
    tensors: Sequence[Tensor],
) -> Tensor:
    """The operator aten::dstack.

    Args:
        tensors: a list of tensors.

    Returns:
        What PyTorch's aten::dstack returns.
    """
    result: Tensor = _operator(
        tensors,
    )
    return result


class Dstack(torch.nn.Module):
    """`dstack` as a module."""

    def forward(
        self,
        tensors: list[Tensor],
    ) -> Tensor:
        return dstack(
            tensors,
        )
