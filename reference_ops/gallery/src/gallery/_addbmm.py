"""aten::addbmm: its rule in ONNX, and the function and module that call it."""

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
    """aten::addbmm in ONNX; `op` writes the nodes for the exporter that asks."""
    mat_mul = op.MatMul(batch1, batch2)
    reduce_sum = op.ReduceSum(mat_mul, op.constant([0], like="INT64"), keepdims=0)
    found = op.Mul(op.constant(alpha, like=batch1, is_number=True), reduce_sum)
    if beta != 0:
        mul = op.Mul(op.constant(beta, like=self, is_number=True), self)
        result = op.Add(found, mul)
    else:
        shape = op.Shape(found)
        result = op.Expand(found, shape)
    return result


OP = _onnxop.Operator(
    name="aten::addbmm.default",
    existing="aten::addbmm.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="addbmm",
    doc="The operator aten::addbmm.",
    spec="sha256:e693053a803be707dd3af4a3d79c6af8cc7001c65955d29eec4ddcbe6771e7d4",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.addbmm.default


@_onnxop.script.scripted(OP)
def addbmm(
    self: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: float = 1,
    alpha: float = 1,
) -> Tensor:
    """The operator aten::addbmm.

    Args:
        self: a tensor.
        batch1: a tensor.
        batch2: a tensor.
        beta: a number; 1 by default.
        alpha: a number; 1 by default.

    Returns:
        What PyTorch's aten::addbmm returns.
    """
    result: Tensor = _operator(
        self,
        batch1,
        batch2,
        beta=_onnxop.number(beta),
        alpha=_onnxop.number(alpha),
    )
    return result


class Addbmm(torch.nn.Module):
    """`addbmm` as a module; what is no tensor is fixed."""

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
        return addbmm(
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
