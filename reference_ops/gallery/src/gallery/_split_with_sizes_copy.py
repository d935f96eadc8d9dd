"""aten::split_with_sizes_copy: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, split_sizes: Any, dim: Any) -> Any:
    """aten::split_with_sizes_copy in ONNX; `op` writes the nodes for the exporter that asks."""
    ends = [sum([split_sizes[j] for j in range(i + 1)]) for i in range(len(split_sizes))]
    result = []
    for i_2 in range(len(split_sizes)):
        slice = op.Slice(
            self,
            op.constant([ends[i_2] - split_sizes[i_2]], like="INT64"),
            op.constant([ends[i_2]], like="INT64"),
            op.constant([dim], like="INT64"),
        )
        result.append(slice)
    return result


OP = _onnxop.Operator(
    name="aten::split_with_sizes_copy.default",
    existing="aten::split_with_sizes_copy.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(0),
    dynamo_opset=13,
    domain="gallery",
    op_type="split_with_sizes_copy",
    doc="The operator aten::split_with_sizes_copy.",
    spec="sha256:bdf4326043d3f19a0c104d4f8bf448722f2c24e29f5a21b84e88a3d35501987d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.split_with_sizes_copy.default


@_onnxop.script.scripted(OP)
def split_with_sizes_copy(
    self: Tensor,
    split_sizes: Sequence[int],
    dim: int = 0,
) -> list[Tensor]:
    """The operator aten::split_with_sizes_copy.

    Args:
        self: a tensor.
        split_sizes: integers.
        dim: an integer; 0 by default.

    Returns:
        What PyTorch's aten::split_with_sizes_copy returns.
    """
    result: list[Tensor] = _operator(
        self,
        split_sizes,
        dim,
    )
    return result


class SplitWithSizesCopy(torch.nn.Module):
    """`split_with_sizes_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        split_sizes: Sequence[int],
        dim: int = 0,
    ) -> None:
        super().__init__()
        self.split_sizes = split_sizes
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> list[Tensor]:
        return split_with_sizes_copy(
            input,
            self.split_sizes,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"split_sizes={self.split_sizes}",
                f"dim={self.dim}",
            ]
        )
