"""aten::diag_embed: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::diag_embed.default",
    existing="aten::diag_embed.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="diag_embed",
    doc="The operator aten::diag_embed.",
    spec="sha256:5ab506edc098d8053983e71e08d03ee0b9e763cea12a67a8cbc438c32569b378",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.diag_embed.default


def diag_embed(
    self: Tensor,
    offset: int = 0,
    dim1: int = -2,
    dim2: int = -1,
) -> Tensor:
    """The operator aten::diag_embed.

    Args:
        self: a tensor.
        offset: an integer; 0 by default.
        dim1: an integer; -2 by default.
        dim2: an integer; -1 by default.

    Returns:
        What PyTorch's aten::diag_embed returns.
    """
    result: Tensor = _operator(
        self,
        offset,
        dim1,
        dim2,
    )
    return result


class DiagEmbed(torch.nn.Module):
    """`diag_embed` as a module; what is no tensor is fixed."""

    def __init__(
        self,
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
        input: Tensor,
    ) -> Tensor:
        return diag_embed(
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
