"""aten::take_along_dim: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::take_along_dim.default",
    existing="aten::take_along_dim.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="take_along_dim",
    doc="The operator aten::take_along_dim.",
    spec="sha256:6e381ba30262f70ad6e6e292818f572c9c9aabdcb3b5980ca5c00c27b00dfdbd",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.take_along_dim.default


@_onnxop.script.scripted(OP)
def take_along_dim(
    self: Tensor,
    indices: Tensor,
    dim: int | None = None,
) -> Tensor:
    """The operator aten::take_along_dim.

    Args:
        self: a tensor.
        indices: a tensor.
        dim: an integer or None; None by default.

    Returns:
        What PyTorch's aten::take_along_dim returns.
    """
    result: Tensor = _operator(
        self,
        indices,
        dim,
    )
    return result


class TakeAlongDim(torch.nn.Module):
    """`take_along_dim` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
        indices: Tensor,
    ) -> Tensor:
        return take_along_dim(
            input,
            indices,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
