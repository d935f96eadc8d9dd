"""aten::cosine_embedding_loss: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::cosine_embedding_loss.default",
    existing="aten::cosine_embedding_loss.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="cosine_embedding_loss",
    doc="The operator aten::cosine_embedding_loss.",
    spec="sha256:2ed2b2ac9b9c744316696c9ad403d9869df37987620cded8d17b6cdbac3a44fe",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cosine_embedding_loss.default


@_onnxop.script.scripted(OP)
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    reduction: int = 1,
) -> Tensor:
    """The operator aten::cosine_embedding_loss.

    Args:
        input1: a tensor.
        input2: a tensor.
        target: a tensor.
        margin: a float; 0.0 by default.
        reduction: an integer; 1 by default.

    Returns:
        What PyTorch's aten::cosine_embedding_loss returns.
    """
    result: Tensor = _operator(
        input1,
        input2,
        target,
        margin,
        reduction,
    )
    return result


class CosineEmbeddingLoss(torch.nn.Module):
    """`cosine_embedding_loss` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        margin: float = 0.0,
        reduction: int = 1,
    ) -> None:
        super().__init__()
        self.margin = margin
        self.reduction = reduction

    def forward(
        self,
        input1: Tensor,
        input2: Tensor,
        target: Tensor,
    ) -> Tensor:
        return cosine_embedding_loss(
            input1,
            input2,
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
