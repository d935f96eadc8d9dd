"""aten::addbmm: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::addbmm.default",
    existing="aten::addbmm.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="addbmm",
    doc="The operator aten::addbmm.",
    spec="sha256:e1961ed9be67990715a45d38a0310340bdc6f0c74900bea8f5197f7ad780cea6",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.addbmm.default


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
