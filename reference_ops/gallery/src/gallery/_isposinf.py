"""aten::isposinf: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::isposinf.default",
    existing="aten::isposinf.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="isposinf",
    doc="The operator aten::isposinf.",
    spec="sha256:b8f4dee754c298d0152986f3c64911d87e34fb21883028881a11ed614d21340f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.isposinf.default


@_onnxop.script.scripted(OP)
def isposinf(
    self: Tensor,
) -> Tensor:
    """The operator aten::isposinf.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::isposinf returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Isposinf(torch.nn.Module):
    """`isposinf` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return isposinf(
            input,
        )
