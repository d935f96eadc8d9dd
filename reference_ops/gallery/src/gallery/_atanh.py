"""aten::atanh: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::atanh.default",
    existing="aten::atanh.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="atanh",
    doc="The operator aten::atanh.",
    spec="sha256:5415e5f58b8d981835d4d495b6d00c027c6a46593f811179a2857ff87377d66f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.atanh.default


@_onnxop.script.scripted(OP)
def atanh(
    self: Tensor,
) -> Tensor:
    """The operator aten::atanh.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::atanh returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Atanh(torch.nn.Module):
    """`atanh` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return atanh(
            input,
        )
