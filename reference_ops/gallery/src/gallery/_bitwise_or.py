"""aten::bitwise_or: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::bitwise_or.Tensor",
    existing="aten::bitwise_or.Tensor",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="bitwise_or",
    doc="The operator aten::bitwise_or.",
    spec="sha256:895edf789bd5a87fbb4701d92e65b13e5f48be4701eff60d481dfe2ac92c67be",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.bitwise_or.Tensor


@_onnxop.script.scripted(OP)
def bitwise_or(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::bitwise_or.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::bitwise_or returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class BitwiseOr(torch.nn.Module):
    """`bitwise_or` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return bitwise_or(
            input,
            other,
        )
