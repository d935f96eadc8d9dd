"""aten::diagflat: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::diagflat.default",
    existing="aten::diagflat.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="diagflat",
    doc="The operator aten::diagflat.",
    spec="sha256:e7b74ad3acdaa76e9ef1c2601913087fb6dca68782d6e677937878def2c12268",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.diagflat.default


@_onnxop.script.scripted(OP)
def diagflat(
    self: Tensor,
    offset: int = 0,
) -> Tensor:
    """The operator aten::diagflat.

    Args:
        self: a tensor.
        offset: an integer; 0 by default.

    Returns:
        What PyTorch's aten::diagflat returns.
    """
    result: Tensor = _operator(
        self,
        offset,
    )
    return result


class Diagflat(torch.nn.Module):
    """`diagflat` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        offset: int = 0,
    ) -> None:
        super().__init__()
        self.offset = offset

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return diagflat(
            input,
            self.offset,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"offset={self.offset}",
            ]
        )
