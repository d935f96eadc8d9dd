"""aten::cosh: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::cosh.default",
    existing="aten::cosh.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="cosh",
    doc="The operator aten::cosh.",
    spec="sha256:d4e8f1a66b4f5e27079247a3c811ba650803f4f32d7f1dc6f629d3acaa44aa21",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cosh.default


@_onnxop.script.scripted(OP)
def cosh(
    self: Tensor,
) -> Tensor:
    """The operator aten::cosh.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::cosh returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Cosh(torch.nn.Module):
    """`cosh` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return cosh(
            input,
        )
