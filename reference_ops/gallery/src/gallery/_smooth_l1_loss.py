"""aten::smooth_l1_loss: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::smooth_l1_loss.default",
    existing="aten::smooth_l1_loss.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="smooth_l1_loss",
    doc="The operator aten::smooth_l1_loss.",
    spec="sha256:1899e1d816489171641151ed6502dffbafd12664d110b6b9c8172f8ad1a0cd2d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.smooth_l1_loss.default


@_onnxop.script.scripted(OP)
def smooth_l1_loss(
    self: Tensor,
    target: Tensor,
    reduction: int = 1,
    beta: float = 1.0,
) -> Tensor:
    """The operator aten::smooth_l1_loss.

    Args:
        self: a tensor.
        target: a tensor.
        reduction: an integer; 1 by default.
        beta: a float; 1.0 by default.

    Returns:
        What PyTorch's aten::smooth_l1_loss returns.
    """
    result: Tensor = _operator(
        self,
        target,
        reduction,
        beta,
    )
    return result


class SmoothL1Loss(torch.nn.Module):
    """`smooth_l1_loss` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        reduction: int = 1,
        beta: float = 1.0,
    ) -> None:
        super().__init__()
        self.reduction = reduction
        self.beta = beta

    def forward(
        self,
        input: Tensor,
        target: Tensor,
    ) -> Tensor:
        return smooth_l1_loss(
            input,
            target,
            self.reduction,
            self.beta,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"reduction={self.reduction}",
                f"beta={self.beta}",
            ]
        )
