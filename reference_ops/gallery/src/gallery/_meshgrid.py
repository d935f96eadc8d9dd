"""aten::meshgrid: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::meshgrid.default",
    existing="aten::meshgrid.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="meshgrid",
    doc="The operator aten::meshgrid.",
    spec="sha256:490fe5ee02fa786a161083bb26c7776858029c93505c22d97be116326a0d1541",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.meshgrid.default


@_onnxop.script.scripted(OP)
def meshgrid(
    tensors: Sequence[Tensor],
) -> list[Tensor]:
    """The operator aten::meshgrid.

    Args:
        tensors: a list of tensors.

    Returns:
        What PyTorch's aten::meshgrid returns.
    """
    result: list[Tensor] = _operator(
        tensors,
    )
    return result


class Meshgrid(torch.nn.Module):
    """`meshgrid` as a module."""

    def forward(
        self,
        tensors: list[Tensor],
    ) -> list[Tensor]:
        return meshgrid(
            tensors,
        )
