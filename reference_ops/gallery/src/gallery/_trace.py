"""aten::trace: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::trace.default",
    existing="aten::trace.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="trace",
    doc="The operator aten::trace.",
    spec="sha256:e29fe6e4b67c339235211158f601d89e41b21135eb23008aca73ba282ea0cb42",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.trace.default


@_onnxop.script.scripted(OP)
def trace(
    self: Tensor,
) -> Tensor:
    """The operator aten::trace.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::trace returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Trace(torch.nn.Module):
    """`trace` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return trace(
            input,
        )
