"""aten::sinh: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::sinh.default",
    existing="aten::sinh.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="sinh",
    doc="The operator aten::sinh.",
    spec="sha256:2fda82596b63a3b7661a46140f85f7bfd68a3c5358c3dd36b7f7fe490787009b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.sinh.default


@_onnxop.script.scripted(OP)
def sinh(
    self: Tensor,
) -> Tensor:
    """The operator aten::sinh.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::sinh returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Sinh(torch.nn.Module):
    """`sinh` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return sinh(
            input,
        )
