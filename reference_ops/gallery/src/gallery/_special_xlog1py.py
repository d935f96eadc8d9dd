"""aten::special_xlog1py: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::special_xlog1py.default",
    existing="aten::special_xlog1py.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="special_xlog1py",
    doc="The operator aten::special_xlog1py.",
    spec="sha256:9a5c4205e7f28cd668b8ff7c6c35ac4cd34a099f7b5d0563a41bfd29ad7697fd",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_xlog1py.default


@_onnxop.script.scripted(OP)
def special_xlog1py(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::special_xlog1py.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::special_xlog1py returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class SpecialXlog1py(torch.nn.Module):
    """`special_xlog1py` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return special_xlog1py(
            input,
            other,
        )
