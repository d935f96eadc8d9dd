"""aten::angle: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::angle.default",
    existing="aten::angle.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="angle",
    doc="The operator aten::angle.",
    spec="sha256:41f89b7bba746f52ae28c40c8b87be41580221bbd798012e174ebf68e50d8d48",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.angle.default


def angle(
    self: Tensor,
) -> Tensor:
    """The operator aten::angle.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::angle returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Angle(torch.nn.Module):
    """`angle` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return angle(
            input,
        )
