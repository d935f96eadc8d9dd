"""aten::log10: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::log10.default",
    existing="aten::log10.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="log10",
    doc="The operator aten::log10.",
    spec="sha256:2ce3dad7eb30fadfc9028e4e7f7bf91d6cd133af7c8e906879d4e7df443cee83",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.log10.default


@_onnxop.script.scripted(OP)
def log10(
    self: Tensor,
) -> Tensor:
    """The operator aten::log10.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::log10 returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Log10(torch.nn.Module):
    """`log10` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return log10(
            input,
        )
