"""aten::hinge_embedding_loss: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::hinge_embedding_loss.default",
    existing="aten::hinge_embedding_loss.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="hinge_embedding_loss",
    doc="The operator aten::hinge_embedding_loss.",
    spec="sha256:9a0e77a5de3914478351f8e093f5c56f6b8d21944787e305365ca4a3f8ac04aa",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.hinge_embedding_loss.default


def hinge_embedding_loss(
    self: Tensor,
    target: Tensor,
    margin: float = 1.0,
    reduction: int = 1,
) -> Tensor:
    """The operator aten::hinge_embedding_loss.

    Args:
        self: a tensor.
        target: a tensor.
        margin: a float; 1.0 by default.
        reduction: an integer; 1 by default.

    Returns:
        What PyTorch's aten::hinge_embedding_loss returns.
    """
    result: Tensor = _operator(
        self,
        target,
        margin,
        reduction,
    )
    return result


class HingeEmbeddingLoss(torch.nn.Module):
    """`hinge_embedding_loss` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        margin: float = 1.0,
        reduction: int = 1,
    ) -> None:
        super().__init__()
        self.margin = margin
        self.reduction = reduction

    def forward(
        self,
        input: Tensor,
        target: Tensor,
    ) -> Tensor:
        return hinge_embedding_loss(
            input,
            target,
            self.margin,
            self.reduction,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"margin={self.margin}",
                f"reduction={self.reduction}",
            ]
        )
