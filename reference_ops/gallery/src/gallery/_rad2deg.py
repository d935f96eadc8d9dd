"""aten::rad2deg: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::rad2deg.default",
    existing="aten::rad2deg.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="rad2deg",
    doc="The operator aten::rad2deg.",
    spec="sha256:befc4163000e12cd746827b84e7565a17af9daa25e0bf8541316904026557f60",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.rad2deg.default


@_onnxop.script.scripted(OP)
def rad2deg(
    self: Tensor,
) -> Tensor:
    """The operator aten::rad2deg.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::rad2deg returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Rad2deg(torch.nn.Module):
    """`rad2deg` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return rad2deg(
            input,
        )
