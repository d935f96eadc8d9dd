"""aten::erfc: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::erfc.default",
    existing="aten::erfc.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="erfc",
    doc="The operator aten::erfc.",
    spec="sha256:c80df532cb1849741646c585cfe317897dea11ed9aaaeee477a0ad114f684200",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.erfc.default


@_onnxop.script.scripted(OP)
def erfc(
    self: Tensor,
) -> Tensor:
    """The operator aten::erfc.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::erfc returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Erfc(torch.nn.Module):
    """`erfc` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return erfc(
            input,
        )
