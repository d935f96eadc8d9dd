"""aten::logaddexp: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::logaddexp.default",
    existing="aten::logaddexp.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="logaddexp",
    doc="The operator aten::logaddexp.",
    spec="sha256:a54d8134a1cd376c3de3bafdd9eafcda755bf3b5981e9db75bf2e3cbabae3b61",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.logaddexp.default


def logaddexp(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::logaddexp.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::logaddexp returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Logaddexp(torch.nn.Module):
    """`logaddexp` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return logaddexp(
            input,
            other,
        )
