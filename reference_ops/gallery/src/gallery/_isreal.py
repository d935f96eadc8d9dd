"""aten::isreal: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::isreal.default",
    existing="aten::isreal.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="isreal",
    doc="The operator aten::isreal.",
    spec="sha256:68f81780330bfb7eafac2ab588a8e89166d459c15b162623e7045f41a484d700",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.isreal.default


@_onnxop.script.scripted(OP)
def isreal(
    self: Tensor,
) -> Tensor:
    """The operator aten::isreal.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::isreal returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Isreal(torch.nn.Module):
    """`isreal` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return isreal(
            input,
        )
