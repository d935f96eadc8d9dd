"""aten::ldexp: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::ldexp.Tensor",
    existing="aten::ldexp.Tensor",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="ldexp",
    doc="The operator aten::ldexp.",
    spec="sha256:2f7ddac4fb4211c39f1822f1ac11393b90f26e1ae93c8cd8a98a4151a25c6ae8",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.ldexp.Tensor


@_onnxop.script.scripted(OP)
def ldexp(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::ldexp.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::ldexp returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Ldexp(torch.nn.Module):
    """`ldexp` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return ldexp(
            input,
            other,
        )
