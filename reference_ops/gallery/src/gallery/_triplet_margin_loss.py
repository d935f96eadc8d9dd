"""aten::triplet_margin_loss: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::triplet_margin_loss.default",
    existing="aten::triplet_margin_loss.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="triplet_margin_loss",
    doc="The operator aten::triplet_margin_loss.",
    spec="sha256:7de57f62f794481da859a8329ed176d33444c97300e14889670e17f7793475d2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.triplet_margin_loss.default


@_onnxop.script.scripted(OP)
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: int = 1,
) -> Tensor:
    """The operator aten::triplet_margin_loss.

    Args:
        anchor: a tensor.
        positive: a tensor.
        negative: a tensor.
        margin: a float; 1.0 by default.
        p: a float; 2.0 by default.
        eps: a float; 1e-06 by default.
        swap: a boolean; False by default.
        reduction: an integer; 1 by default.

    Returns:
        What PyTorch's aten::triplet_margin_loss returns.
    """
    result: Tensor = _operator(
        anchor,
        positive,
        negative,
        margin,
        p,
        eps,
        swap,
        reduction,
    )
    return result


class TripletMarginLoss(torch.nn.Module):
    """`triplet_margin_loss` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-06,
        swap: bool = False,
        reduction: int = 1,
    ) -> None:
        super().__init__()
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap
        self.reduction = reduction

    def forward(
        self,
        anchor: Tensor,
        positive: Tensor,
        negative: Tensor,
    ) -> Tensor:
        return triplet_margin_loss(
            anchor,
            positive,
            negative,
            self.margin,
            self.p,
            self.eps,
            self.swap,
            self.reduction,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"margin={self.margin}",
                f"p={self.p}",
                f"eps={self.eps}",
                f"swap={self.swap}",
                f"reduction={self.reduction}",
            ]
        )
