"""aten::mH: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::mH.default",
    existing="aten::mH.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="mH",
    doc="The operator aten::mH.",
    spec="sha256:e0ae9d9585c7a03eef0af03c3fcc910201bb389ef03a2865b711c7f3ce384a8d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.mH.default


@_onnxop.script.scripted(OP)
def mH(
    self: Tensor,
) -> Tensor:
    """The operator aten::mH.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::mH returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class MH(torch.nn.Module):
    """`mH` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return mH(
            input,
        )
