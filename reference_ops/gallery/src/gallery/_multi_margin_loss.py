"""aten::multi_margin_loss: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::multi_margin_loss.default",
    existing="aten::multi_margin_loss.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="multi_margin_loss",
    doc="The operator aten::multi_margin_loss.",
    spec="sha256:9f0f6db0ff3a17a30ba17f0e59b1b3ba4649811e7ab6b6f57790279891322889",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.multi_margin_loss.default


@_onnxop.script.scripted(OP)
def multi_margin_loss(
    self: Tensor,
    target: Tensor,
    p: float = 1,
    margin: float = 1,
    weight: Tensor | None = None,
    reduction: int = 1,
) -> Tensor:
    """The operator aten::multi_margin_loss.

    Args:
        self: a tensor.
        target: a tensor.
        p: a number; 1 by default.
        margin: a number; 1 by default.
        weight: a tensor or None; None by default.
        reduction: an integer; 1 by default.

    Returns:
        What PyTorch's aten::multi_margin_loss returns.
    """
    result: Tensor = _operator(
        self,
        target,
        _onnxop.number(p),
        _onnxop.number(margin),
        weight,
        reduction,
    )
    return result


class MultiMarginLoss(torch.nn.Module):
    """`multi_margin_loss` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        p: float = 1,
        margin: float = 1,
        reduction: int = 1,
    ) -> None:
        super().__init__()
        self.p = p
        self.margin = margin
        self.reduction = reduction

    def forward(
        self,
        input: Tensor,
        target: Tensor,
        weight: Tensor | None = None,
    ) -> Tensor:
        return multi_margin_loss(
            input,
            target,
            self.p,
            self.margin,
            weight,
            self.reduction,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"p={self.p}",
                f"margin={self.margin}",
                f"reduction={self.reduction}",
            ]
        )
