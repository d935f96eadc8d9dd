"""aten::exp2: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::exp2.default",
    existing="aten::exp2.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="exp2",
    doc="The operator aten::exp2.",
    spec="sha256:c5b5844f37d8e2994ee508db4285f7ddd320e5f8508b22ae7c9ee4d3dad4da1f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.exp2.default


@_onnxop.script.scripted(OP)
def exp2(
    self: Tensor,
) -> Tensor:
    """The operator aten::exp2.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::exp2 returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Exp2(torch.nn.Module):
    """`exp2` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return exp2(
            input,
        )
