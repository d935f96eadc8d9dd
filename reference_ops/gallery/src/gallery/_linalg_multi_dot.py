"""aten::linalg_multi_dot: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, tensors: Any) -> Any:
    """aten::linalg_multi_dot in ONNX; `op` writes the nodes for the exporter that asks."""
    item = tensors[0]
    found = op.Identity(item)
    item_2 = tensors[1:]
    found_2 = found
    for tensor in item_2:
        found_3 = op.MatMul(found_2, tensor)
        found_2 = found_3
    return found_2


OP = _onnxop.Operator(
    name="aten::linalg_multi_dot.default",
    existing="aten::linalg_multi_dot.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_multi_dot",
    doc="The operator aten::linalg_multi_dot.",
    spec="sha256:16817ada876a8c1b53e5425c8a021ca8ea627031474df897a4d2dd3428807ec8",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_multi_dot.default


@_onnxop.script.scripted(OP)
def linalg_multi_dot(
    tensors: Sequence[Tensor],
) -> Tensor:
    """The operator aten::linalg_multi_dot.

    Args:
        tensors: a list of tensors.

    Returns:
        What PyTorch's aten::linalg_multi_dot returns.
    """
    result: Tensor = _operator(
        tensors,
    )
    return result


class LinalgMultiDot(torch.nn.Module):
    """`linalg_multi_dot` as a module."""

    def forward(
        self,
        tensors: list[Tensor],
    ) -> Tensor:
        return linalg_multi_dot(
            tensors,
        )
