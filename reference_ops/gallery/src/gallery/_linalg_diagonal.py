"""aten::linalg_diagonal: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_diagonal.default",
    existing="aten::linalg_diagonal.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_diagonal",
    doc="The operator aten::linalg_diagonal.",
    spec="sha256:607413d9603b8777ae29e1e8da09632e99f155a4241e523fecbed6a28c67611f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_diagonal.default


def linalg_diagonal(
    A: Tensor,
    *,
    offset: int = 0,
    dim1: int = -2,
    dim2: int = -1,
) -> Tensor:
    """The operator aten::linalg_diagonal.

    Args:
        A: a tensor.
        offset: an integer; 0 by default.
        dim1: an integer; -2 by default.
        dim2: an integer; -1 by default.

    Returns:
        What PyTorch's aten::linalg_diagonal returns.
    """
    result: Tensor = _operator(
        A,
        offset=offset,
        dim1=dim1,
        dim2=dim2,
    )
    return result


class LinalgDiagonal(torch.nn.Module):
    """`linalg_diagonal` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        offset: int = 0,
        dim1: int = -2,
        dim2: int = -1,
    ) -> None:
        super().__init__()
        self.offset = offset
        self.dim1 = dim1
        self.dim2 = dim2

    def forward(
        self,
        A: Tensor,
    ) -> Tensor:
        return linalg_diagonal(
            A,
            offset=self.offset,
            dim1=self.dim1,
            dim2=self.dim2,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"offset={self.offset}",
                f"dim1={self.dim1}",
                f"dim2={self.dim2}",
            ]
        )
