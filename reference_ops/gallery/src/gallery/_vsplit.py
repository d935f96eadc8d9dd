"""aten::vsplit: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::vsplit.int",
    existing="aten::vsplit.int",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="vsplit",
    doc="The operator aten::vsplit.",
    spec="sha256:19168157820f5d5ca644c7f08b4d9c38e11de757738fe047095e6b3c57f26fa4",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.vsplit.int


@_onnxop.script.scripted(OP)
def vsplit(
    self: Tensor,
    sections: int,
) -> list[Tensor]:
    """The operator aten::vsplit.

    Args:
        self: a tensor.
        sections: an integer.

    Returns:
        What PyTorch's aten::vsplit returns.
    """
    result: list[Tensor] = _operator(
        self,
        sections,
    )
    return result


class Vsplit(torch.nn.Module):
    """`vsplit` as a module; what is no tensor is fixed."""

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
        return vsplit(
            input,
            self.sections,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"sections={self.sections}",
            ]
        )
