"""aten::l1_loss: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::l1_loss.default",
    existing="aten::l1_loss.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="l1_loss",
    doc="The operator aten::l1_loss.",
    spec="sha256:2539244aec728e3972c7e7862476a2acf4909db3728e732e3fab398bc1c20bf3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.l1_loss.default


@_onnxop.script.scripted(OP)
def l1_loss(
    self: Tensor,
    target: Tensor,
    reduction: int = 1,
) -> Tensor:
    """The operator aten::l1_loss.

    Args:
        self: a tensor.
        target: a tensor.
        reduction: an integer; 1 by default.

    Returns:
        What PyTorch's aten::l1_loss returns.
    """
    result: Tensor = _operator(
        self,
        target,
        reduction,
    )
    return result


class L1Loss(torch.nn.Module):
    """`l1_loss` as a module; what is no tensor is fixed."""

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
        return l1_loss(
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
