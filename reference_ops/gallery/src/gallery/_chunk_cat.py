"""aten::_chunk_cat: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::_chunk_cat.default",
    called="chunk_cat",
    existing="aten::_chunk_cat.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="chunk_cat",
    doc="The operator aten::_chunk_cat.",
    spec="sha256:91008f219f6bfa1d23c652e2bc0086110fff7a67a6979c5e417b629580e79aa3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._chunk_cat.default


@_onnxop.script.scripted(OP)
def chunk_cat(
    tensors: Sequence[Tensor],
    dim: int,
    num_chunks: int,
) -> Tensor:
    """The operator aten::_chunk_cat.

    Args:
        tensors: a list of tensors.
        dim: an integer.
        num_chunks: an integer.

    Returns:
        What PyTorch's aten::_chunk_cat returns.
    """
    result: Tensor = _operator(
        tensors,
        dim,
        num_chunks,
    )
    return result


class ChunkCat(torch.nn.Module):
    """`chunk_cat` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        num_chunks: int,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.num_chunks = num_chunks

    def forward(
        self,
        tensors: list[Tensor],
    ) -> Tensor:
        return chunk_cat(
            tensors,
            self.dim,
            self.num_chunks,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"num_chunks={self.num_chunks}",
            ]
        )
