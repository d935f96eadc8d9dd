"""aten::narrow_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::narrow_copy.default",
    existing="aten::narrow_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="narrow_copy",
    doc="The operator aten::narrow_copy.",
    spec="sha256:ca262379b95f0919eb1b17d5fe3c837f1cf78154e44ace17f76eb39263d518ba",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.narrow_copy.default


@_onnxop.script.scripted(OP)
def narrow_copy(
    self: Tensor,
    dim: int,
    start: int,
    length: int,
) -> Tensor:
    """The operator aten::narrow_copy.

    Args:
        self: a tensor.
        dim: an integer.
        start: an integer.
        length: an integer.

    Returns:
        What PyTorch's aten::narrow_copy returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        start,
        length,
    )
    return result


class NarrowCopy(torch.nn.Module):
    """`narrow_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        start: int,
        length: int,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.start = start
        self.length = length

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return narrow_copy(
            input,
            self.dim,
            self.start,
            self.length,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"start={self.start}",
                f"length={self.length}",
            ]
        )
