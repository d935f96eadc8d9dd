"""aten::binary_cross_entropy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::binary_cross_entropy.default",
    existing="aten::binary_cross_entropy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="binary_cross_entropy",
    doc="The operator aten::binary_cross_entropy.",
    spec="sha256:f641728895edf46d377867b960ceefdb9cf11ee630fade8d5d723ecf0d647c7e",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.binary_cross_entropy.default


@_onnxop.script.scripted(OP)
def binary_cross_entropy(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: int = 1,
) -> Tensor:
    """The operator aten::binary_cross_entropy.

    Args:
        self: a tensor.
        target: a tensor.
        weight: a tensor or None; None by default.
        reduction: an integer; 1 by default.

    Returns:
        What PyTorch's aten::binary_cross_entropy returns.
    """
    result: Tensor = _operator(
        self,
        target,
        weight,
        reduction,
    )
    return result


class BinaryCrossEntropy(torch.nn.Module):
    """`binary_cross_entropy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        reduction: int = 1,
    ) -> None:
        super().__init__()
        self.reduction = reduction

    def forward(
        self,
        input: Tensor,
        target: Tensor,
        weight: Tensor | None = None,
    ) -> Tensor:
        return binary_cross_entropy(
            input,
            target,
            weight,
            self.reduction,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"reduction={self.reduction}",
            ]
        )
