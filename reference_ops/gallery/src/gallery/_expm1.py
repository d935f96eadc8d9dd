"""aten::expm1: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::expm1.default",
    existing="aten::expm1.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="expm1",
    doc="The operator aten::expm1.",
    spec="sha256:c9e53cba1aad30cbef5bb57bdfc484d72d0d23287e1cb631befb5ea5cd2debb3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.expm1.default


@_onnxop.script.scripted(OP)
def expm1(
    self: Tensor,
) -> Tensor:
    """The operator aten::expm1.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::expm1 returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Expm1(torch.nn.Module):
    """`expm1` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return expm1(
            input,
        )
