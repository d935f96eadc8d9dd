"""aten::hinge_embedding_loss: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, target: Any, margin: Any, reduction: Any) -> Any:
    """aten::hinge_embedding_loss in ONNX; `op` writes the nodes for the exporter that asks."""
    gap = op.Sub(op.constant(margin, like=self), self)
    equal = op.Equal(target, op.constant(1, like=target))
    less = op.Less(gap, op.constant(0, like=self))
    where = op.Where(less, op.constant(0, like=self), gap)
    where_2 = op.Where(equal, op.constant(0, like=self), where)
    equal_2 = op.Equal(target, op.constant(-1, like=target))
    where_3 = op.Where(equal_2, op.constant(0, like=self), self)
    loss = op.Add(where_2, where_3)
    if reduction == 0:
        result_2 = loss
    else:
        if reduction == 1:
            result = op.ReduceMean(loss, keepdims=0)
        else:
            result = op.ReduceSum(loss, keepdims=0)
        result_2 = result
    return result_2


OP = _onnxop.Operator(
    name="aten::hinge_embedding_loss.default",
    existing="aten::hinge_embedding_loss.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="hinge_embedding_loss",
    doc="The operator aten::hinge_embedding_loss.",
    spec="sha256:0a8d27c9157b49f4866c21d90bd930adc6127efa7a3c84c1f00e3aedcb03a0bd",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.hinge_embedding_loss.default


@_onnxop.script.scripted(OP)
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
