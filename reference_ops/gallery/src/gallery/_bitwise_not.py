"""aten::bitwise_not: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::bitwise_not.default",
    existing="aten::bitwise_not.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="bitwise_not",
    doc="The operator aten::bitwise_not.",
    spec="sha256:b5dffadb45ad3b6854ca56fdee30599bfbf00b3de5945d41b5ae6f83c597c0e3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.bitwise_not.default


@_onnxop.script.scripted(OP)
def bitwise_not(
    self: Tensor,
) -> Tensor:
    """The operator aten::bitwise_not.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::bitwise_not returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class BitwiseNot(torch.nn.Module):
    """`bitwise_not` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return bitwise_not(
            input,
        )
