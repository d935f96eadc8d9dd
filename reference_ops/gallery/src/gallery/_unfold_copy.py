"""aten::unfold_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::unfold_copy.default",
    existing="aten::unfold_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="unfold_copy",
    doc="The operator aten::unfold_copy.",
    spec="sha256:f8d11946c64678091731cae16fb6b9da609a7fa3027107c764609bf807a58579",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.unfold_copy.default


@_onnxop.script.scripted(OP)
def unfold_copy(
    self: Tensor,
    dimension: int,
    size: int,
    step: int,
) -> Tensor:
    """The operator aten::unfold_copy.

    Args:
        self: a tensor.
        dimension: an integer.
        size: an integer.
        step: an integer.

    Returns:
        What PyTorch's aten::unfold_copy returns.
    """
    result: Tensor = _operator(
        self,
        dimension,
        size,
        step,
    )
    return result


class UnfoldCopy(torch.nn.Module):
    """`unfold_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dimension: int,
        size: int,
        step: int,
    ) -> None:
        super().__init__()
        self.dimension = dimension
        self.size = size
        self.step = step

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return unfold_copy(
            input,
            self.dimension,
            self.size,
            self.step,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dimension={self.dimension}",
                f"size={self.size}",
                f"step={self.step}",
            ]
        )
