"""aten::huber_loss: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::huber_loss.default",
    existing="aten::huber_loss.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="huber_loss",
    doc="The operator aten::huber_loss.",
    spec="sha256:5269e7d3e7a65b5b71a4f22fd3b7c8426def8970f08058da77207a59399920f4",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.huber_loss.default


@_onnxop.script.scripted(OP)
def huber_loss(
    self: Tensor,
    target: Tensor,
    reduction: int = 1,
    delta: float = 1.0,
) -> Tensor:
    """The operator aten::huber_loss.

    Args:
        self: a tensor.
        target: a tensor.
        reduction: an integer; 1 by default.
        delta: a float; 1.0 by default.

    Returns:
        What PyTorch's aten::huber_loss returns.
    """
    result: Tensor = _operator(
        self,
        target,
        reduction,
        delta,
    )
    return result


class HuberLoss(torch.nn.Module):
    """`huber_loss` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        reduction: int = 1,
        delta: float = 1.0,
    ) -> None:
        super().__init__()
        self.reduction = reduction
        self.delta = delta

    def forward(
        self,
        input: Tensor,
        target: Tensor,
    ) -> Tensor:
        return huber_loss(
            input,
            target,
            self.reduction,
            self.delta,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"reduction={self.reduction}",
                f"delta={self.delta}",
            ]
        )
