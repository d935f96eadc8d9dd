"""aten::addmm: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    mat1: Any,
    mat2: Any,
    beta: Any,
    alpha: Any,
) -> Any:
    """aten::addmm in ONNX; `op` writes the nodes for the exporter that asks."""
    product = op.MatMul(mat1, mat2)
    if alpha != 1:
        product_3 = op.Mul(product, op.constant(alpha, like=mat1, is_number=True))
    else:
        product_3 = product
    if beta == 0:
        result_2 = product_3
    else:
        if beta == 1:
            chosen = self
        else:
            chosen = op.Mul(self, op.constant(beta, like=self, is_number=True))
        result_2 = op.Add(product_3, chosen)
    return result_2


OP = _onnxop.Operator(
    name="aten::addmm.default",
    existing="aten::addmm.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="addmm",
    doc="The operator aten::addmm.",
    spec="sha256:90705c78063b34514e5da8ca6152baeaf4fc8452225747bde70051a14ec7043d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.addmm.default


@_onnxop.script.scripted(OP)
def addmm(
    self: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: float = 1,
    alpha: float = 1,
) -> Tensor:
    """The operator aten::addmm.

    Args:
        self: a tensor.
        mat1: a tensor.
        mat2: a tensor.
        beta: a number; 1 by default.
        alpha: a number; 1 by default.

    Returns:
        What PyTorch's aten::addmm returns.
    """
    result: Tensor = _operator(
        self,
        mat1,
        mat2,
        beta=_onnxop.number(beta),
        alpha=_onnxop.number(alpha),
    )
    return result


class Addmm(torch.nn.Module):
    """`addmm` as a module; what is no tensor is fixed."""

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
        mat1: Tensor,
        mat2: Tensor,
    ) -> Tensor:
        return addmm(
            input,
            mat1,
            mat2,
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
