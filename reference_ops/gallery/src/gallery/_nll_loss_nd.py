"""aten::nll_loss_nd: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    target: Any,
    weight: Any,
    reduction: Any,
    ignore_index: Any,
) -> Any:
    """aten::nll_loss_nd in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 1:
        x = op.Unsqueeze(self, op.constant([0], like="INT64"))
    else:
        x = op.Identity(self)
    if op.rank(self) == 1:
        classes = op.Unsqueeze(target, op.constant([0], like="INT64"))
    else:
        classes = op.Identity(target)
    loss = op.NegativeLogLikelihoodLoss(
        x,
        classes,
        weight,
        reduction="none" if reduction == 0 else "mean" if reduction == 1 else "sum",
        ignore_index=ignore_index,
    )
    if op.rank(self) == 1 and reduction == 0:
        result = op.Squeeze(loss, op.constant([0], like="INT64"))
    else:
        result = loss
    return result


OP = _onnxop.Operator(
    name="aten::nll_loss_nd.default",
    existing="aten::nll_loss_nd.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="nll_loss_nd",
    doc="The operator aten::nll_loss_nd.",
    spec="sha256:77baad23f10a59007c31157b46974c31c6e593211a0627ab0a391a3af258602f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nll_loss_nd.default


@_onnxop.script.scripted(OP)
def nll_loss_nd(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
) -> Tensor:
    """The operator aten::nll_loss_nd.

    Args:
        self: a tensor.
        target: a tensor.
        weight: a tensor or None; None by default.
        reduction: an integer; 1 by default.
        ignore_index: an integer; -100 by default.

    Returns:
        What PyTorch's aten::nll_loss_nd returns.
    """
    result: Tensor = _operator(
        self,
        target,
        weight,
        reduction,
        ignore_index,
    )
    return result


class NllLossNd(torch.nn.Module):
    """`nll_loss_nd` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        reduction: int = 1,
        ignore_index: int = -100,
    ) -> None:
        super().__init__()
        self.reduction = reduction
        self.ignore_index = ignore_index

    def forward(
        self,
        input: Tensor,
        target: Tensor,
        weight: Tensor | None = None,
    ) -> Tensor:
        return nll_loss_nd(
            input,
            target,
            weight,
            self.reduction,
            self.ignore_index,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"reduction={self.reduction}",
                f"ignore_index={self.ignore_index}",
            ]
        )
