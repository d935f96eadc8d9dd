"""aten::logcumsumexp: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::logcumsumexp.default",
    existing="aten::logcumsumexp.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="logcumsumexp",
    doc="The operator aten::logcumsumexp.",
    spec="sha256:96c21665c46b3721d8a9b9951be98811dcb7cb8372200a08106683d65200e305",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.logcumsumexp.default


def logcumsumexp(
    self: Tensor,
    dim: int,
) -> Tensor:
    """The operator aten::logcumsumexp.

    Args:
        self: a tensor.
        dim: an integer.

    Returns:
        What PyTorch's aten::logcumsumexp returns.
    """
    result: Tensor = _operator(
        self,
        dim,
    )
    return result


class Logcumsumexp(torch.nn.Module):
    """`logcumsumexp` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return logcumsumexp(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
