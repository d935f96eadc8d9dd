"""aten::_chunk_cat: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, tensors: Any, dim: Any, num_chunks: Any) -> Any:
    """aten::_chunk_cat in ONNX; `op` writes the nodes for the exporter that asks."""
    first = tensors[0]
    short = []
    for t in tensors:
        shape = op.Shape(t)
        gather = op.Gather(
            shape,
            op.constant([dim + op.rank(first) if dim < 0 else dim], like="INT64"),
        )
        neg = op.Neg(gather)
        mod = op.Mod(neg, op.constant(num_chunks, like="INT64"))
        short.append(mod)
    full = []
    for i, t_2 in enumerate(tensors):
        item = short[i]
        concat = op.Concat(
            op.constant([0] * (op.rank(t_2) + (dim + op.rank(first) if dim < 0 else dim)), like="INT64"),
            item,
            op.constant([0] * (op.rank(t_2) - (dim + op.rank(first) if dim < 0 else dim) - 1), like="INT64"),
            axis=0,
        )  # fmt: skip
        pad = op.Pad(t_2, concat)
        full.append(pad)
    sizes = []
    for t_3 in tensors:
        shape_2 = op.Shape(t_3)
        slice = op.Slice(
            shape_2,
            op.constant([0], like="INT64"),
            op.constant([dim + op.rank(first) if dim < 0 else dim], like="INT64"),
        )
        concat_2 = op.Concat(slice, op.constant([num_chunks, -1], like="INT64"), axis=0)
        sizes.append(concat_2)
    tensors_2 = []
    for i_2 in range(len(tensors)):
        item_2 = full[i_2]
        item_3 = sizes[i_2]
        reshape = op.Reshape(item_2, item_3)
        tensors_2.append(reshape)
    return op.Concat(*tensors_2, axis=(dim + op.rank(first) if dim < 0 else dim) + 1)


OP = _onnxop.Operator(
    name="aten::_chunk_cat.default",
    called="chunk_cat",
    existing="aten::_chunk_cat.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="chunk_cat",
    doc="The operator aten::_chunk_cat.",
    spec="sha256:42cd342d15f6f1737827ecd856d3f1b7e2308dbbdec0a81e0dc5c600b7af5e32",
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
