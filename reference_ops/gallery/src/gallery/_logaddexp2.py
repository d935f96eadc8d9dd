"""aten::logaddexp2: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::logaddexp2.default",
    existing="aten::logaddexp2.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="logaddexp2",
    doc="The operator aten::logaddexp2.",
    spec="sha256:eda2408242626d1c4290a81f42e32e4f1ad7ec2f472470e85087f7c6cae8ce32",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.logaddexp2.default


def logaddexp2(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::logaddexp2.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::logaddexp2 returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Logaddexp2(torch.nn.Module):
    """`logaddexp2` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return logaddexp2(
            input,
            other,
        )
