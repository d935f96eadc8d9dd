"""aten::block_diag: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::block_diag.default",
    existing="aten::block_diag.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="block_diag",
    doc="The operator aten::block_diag.",
    spec="sha256:bc55f9e7f1336808bcb1cfad1e251fccad864bd01992182020d3ca21c55b227d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.block_diag.default


@_onnxop.script.scripted(OP)
def block_diag(
    tensors: Sequence[Tensor],
) -> Tensor:
    """The operator aten::block_diag.

    Args:
        tensors: a list of tensors.

    Returns:
        What PyTorch's aten::block_diag returns.
    """
    result: Tensor = _operator(
        tensors,
    )
    return result


class BlockDiag(torch.nn.Module):
    """`block_diag` as a module."""

    def forward(
        self,
        tensors: list[Tensor],
    ) -> Tensor:
        return block_diag(
            tensors,
        )
