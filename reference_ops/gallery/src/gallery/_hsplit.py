"""aten::hsplit: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::hsplit.int",
    existing="aten::hsplit.int",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="hsplit",
    doc="The operator aten::hsplit.",
    spec="sha256:5fa9f750507c6284b496a4bd5386e8569f7f50875e10bdf1ffdc89a850a4b078",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.hsplit.int


@_onnxop.script.scripted(OP)
def hsplit(
    self: Tensor,
    sections: int,
) -> list[Tensor]:
    """The operator aten::hsplit.

    Args:
        self: a tensor.
        sections: an integer.

    Returns:
        What PyTorch's aten::hsplit returns.
    """
    result: list[Tensor] = _operator(
        self,
        sections,
    )
    return result


class Hsplit(torch.nn.Module):
    """`hsplit` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        sections: int,
    ) -> None:
        super().__init__()
        self.sections = sections

    def forward(
        self,
        input: Tensor,
    ) -> list[Tensor]:
        return hsplit(
            input,
            self.sections,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"sections={self.sections}",
            ]
        )
