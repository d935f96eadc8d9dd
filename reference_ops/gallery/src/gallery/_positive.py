"""aten::positive: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::positive.default",
    existing="aten::positive.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="positive",
    doc="The operator aten::positive.",
    spec="sha256:65255c65c55c4b07d6ad53d40cd69633ff62e6665affc3969a40121c373c20e5",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.positive.default


@_onnxop.script.scripted(OP)
def positive(
    self: Tensor,
) -> Tensor:
    """The operator aten::positive.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::positive returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Positive(torch.nn.Module):
    """`positive` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return positive(
            input,
        )
