"""aten::unfold: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::unfold.default",
    existing="aten::unfold.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="unfold",
    doc="The operator aten::unfold.",
    spec="sha256:2f9b7896e49146a777fe90981498aafafb59097f88907c72c062492904ad60a6",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.unfold.default


@_onnxop.script.scripted(OP)
def unfold(
    self: Tensor,
    dimension: int,
    size: int,
    step: int,
) -> Tensor:
    """The operator aten::unfold.

    Args:
        self: a tensor.
        dimension: an integer.
        size: an integer.
        step: an integer.

    Returns:
        What PyTorch's aten::unfold returns.
    """
    result: Tensor = _operator(
        self,
        dimension,
        size,
        step,
    )
    return result


class Unfold(torch.nn.Module):
    """`unfold` as a module; what is no tensor is fixed."""

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
        return unfold(
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
