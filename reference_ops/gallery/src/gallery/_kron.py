"""aten::kron: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::kron.default",
    existing="aten::kron.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="kron",
    doc="The operator aten::kron.",
    spec="sha256:e44ff90316d1b0add2482972c7c027d8c9f872110606dd07bbf39f60afaa773d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.kron.default


@_onnxop.script.scripted(OP)
def kron(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::kron.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::kron returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Kron(torch.nn.Module):
    """`kron` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return kron(
            input,
            other,
        )
