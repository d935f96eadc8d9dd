"""aten::split_with_sizes_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::split_with_sizes_copy.default",
    existing="aten::split_with_sizes_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="split_with_sizes_copy",
    doc="The operator aten::split_with_sizes_copy.",
    spec="sha256:24e4474c6d56aac38f9e6f639a56d8f443231185d4c06d89acb60e57cfca6b86",
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
