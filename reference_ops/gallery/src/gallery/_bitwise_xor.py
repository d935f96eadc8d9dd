"""aten::bitwise_xor: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::bitwise_xor.Tensor",
    existing="aten::bitwise_xor.Tensor",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="bitwise_xor",
    doc="The operator aten::bitwise_xor.",
    spec="sha256:15618d6e9085bf3d60c05917f5b0016cb48278fc0db2170b16988ebbb14c3ecf",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.bitwise_xor.Tensor


@_onnxop.script.scripted(OP)
def bitwise_xor(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::bitwise_xor.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::bitwise_xor returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class BitwiseXor(torch.nn.Module):
    """`bitwise_xor` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return bitwise_xor(
            input,
            other,
        )
