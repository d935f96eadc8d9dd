"""aten::transpose_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::transpose_copy.int",
    existing="aten::transpose_copy.int",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="transpose_copy",
    doc="The operator aten::transpose_copy.",
    spec="sha256:a6756d25c5882462231dbfb53cdc0d7030d94c73eed9d29ef0830f05825f8189",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.transpose_copy.int


@_onnxop.script.scripted(OP)
def transpose_copy(
    self: Tensor,
    dim0: int,
    dim1: int,
) -> Tensor:
    """The operator aten::transpose_copy.

    Args:
        self: a tensor.
        dim0: an integer.
        dim1: an integer.

    Returns:
        What PyTorch's aten::transpose_copy returns.
    """
    result: Tensor = _operator(
        self,
        dim0,
        dim1,
    )
    return result


class TransposeCopy(torch.nn.Module):
    """`transpose_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim0: int,
        dim1: int,
    ) -> None:
        super().__init__()
        self.dim0 = dim0
        self.dim1 = dim1

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return transpose_copy(
            input,
            self.dim0,
            self.dim1,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim0={self.dim0}",
                f"dim1={self.dim1}",
            ]
        )
