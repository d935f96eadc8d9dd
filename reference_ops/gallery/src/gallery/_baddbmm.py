"""aten::baddbmm: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    batch1: Any,
    batch2: Any,
    beta: Any,
    alpha: Any,
) -> Any:
    """aten::baddbmm in ONNX; `op` writes the nodes for the exporter that asks."""
    product = op.MatMul(batch1, batch2)
    if alpha != 1:
        product_3 = op.Mul(product, op.constant(alpha, like=batch1, is_number=True))
    else:
        product_3 = product
    if beta == 0:
        result_2 = product_3
    else:
        if beta == 1:
            chosen = self
        else:
            chosen = op.Mul(self, op.constant(beta, like=self, is_number=True))
        result_2 = op.Add(chosen, product_3)
    return result_2


OP = _onnxop.Operator(
    name="aten::baddbmm.default",
    existing="aten::baddbmm.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="baddbmm",
    doc="The operator aten::baddbmm.",
    spec="sha256:9204aaf688c55ad22c8d7eeaf1e0722bfedaf8c961fa76648b150bc6a77b7f79",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.baddbmm.default


@_onnxop.script.scripted(OP)
def baddbmm(
    self: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: float = 1,
    alpha: float = 1,
) -> Tensor:
    """The operator aten::baddbmm.

    Args:
        self: a tensor.
        batch1: a tensor.
        batch2: a tensor.
        beta: a number; 1 by default.
        alpha: a number; 1 by default.

    Returns:
        What PyTorch's aten::baddbmm returns.
    """
    result: Tensor = _operator(
        self,
        batch1,
        batch2,
        beta=_onnxop.number(beta),
        alpha=_onnxop.number(alpha),
    )
    return result


class Baddbmm(torch.nn.Module):
    """`baddbmm` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        beta: float = 1,
        alpha: float = 1,
    ) -> None:
        super().__init__()
        self.beta = beta
        self.alpha = alpha

    def forward(
        self,
        input: Tensor,
        batch1: Tensor,
        batch2: Tensor,
    ) -> Tensor:
        return baddbmm(
            input,
            batch1,
            batch2,
            beta=self.beta,
            alpha=self.alpha,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"beta={self.beta}",
                f"alpha={self.alpha}",
            ]
        )
