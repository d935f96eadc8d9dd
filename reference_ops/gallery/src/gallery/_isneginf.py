"""aten::isneginf: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::isneginf.default",
    existing="aten::isneginf.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="isneginf",
    doc="The operator aten::isneginf.",
    spec="sha256:55f556d796eb9b6b5256d50c901b882820447aa06b71fba174798f80391e4d44",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.isneginf.default


@_onnxop.script.scripted(OP)
def isneginf(
    self: Tensor,
) -> Tensor:
    """The operator aten::isneginf.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::isneginf returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Isneginf(torch.nn.Module):
    """`isneginf` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return isneginf(
            input,
        )
