"""aten::multilabel_margin_loss: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::multilabel_margin_loss.default",
    existing="aten::multilabel_margin_loss.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="multilabel_margin_loss",
    doc="The operator aten::multilabel_margin_loss.",
    spec="sha256:339761c4720961f480bf08d123bab698fd91fc7833070305a0387f0d7475c22a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.multilabel_margin_loss.default


@_onnxop.script.scripted(OP)
def multilabel_margin_loss(
    self: Tensor,
    target: Tensor,
    reduction: int = 1,
) -> Tensor:
    """The operator aten::multilabel_margin_loss.

    Args:
        self: a tensor.
        target: a tensor.
        reduction: an integer; 1 by default.

    Returns:
        What PyTorch's aten::multilabel_margin_loss returns.
    """
    result: Tensor = _operator(
        self,
        target,
        reduction,
    )
    return result


class MultilabelMarginLoss(torch.nn.Module):
    """`multilabel_margin_loss` as a module; what is no tensor is fixed."""

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
    ) -> Tensor:
        return multilabel_margin_loss(
            input,
            target,
            self.reduction,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"reduction={self.reduction}",
            ]
        )
