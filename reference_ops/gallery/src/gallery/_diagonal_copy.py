"""aten::diagonal_copy: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::diagonal_copy.default",
    existing="aten::diagonal_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="diagonal_copy",
    doc="The operator aten::diagonal_copy.",
    spec="sha256:e53fa451abf0973bbc687eaf727120154480d493e74a9fb39ee292e3a0ae8d6c",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.diagonal_copy.default


def diagonal_copy(
    self: Tensor,
    offset: int = 0,
    dim1: int = 0,
    dim2: int = 1,
) -> Tensor:
    """The operator aten::diagonal_copy.

    Args:
        self: a tensor.
        offset: an integer; 0 by default.
        dim1: an integer; 0 by default.
        dim2: an integer; 1 by default.

    Returns:
        What PyTorch's aten::diagonal_copy returns.
    """
    result: Tensor = _operator(
        self,
        offset,
        dim1,
        dim2,
    )
    return result


class DiagonalCopy(torch.nn.Module):
    """`diagonal_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        offset: int = 0,
        dim1: int = 0,
        dim2: int = 1,
    ) -> None:
        super().__init__()
        self.offset = offset
        self.dim1 = dim1
        self.dim2 = dim2

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return diagonal_copy(
            input,
            self.offset,
            self.dim1,
            self.dim2,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"offset={self.offset}",
                f"dim1={self.dim1}",
                f"dim2={self.dim2}",
            ]
        )
