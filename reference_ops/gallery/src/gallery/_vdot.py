"""aten::vdot: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::vdot.default",
    existing="aten::vdot.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="vdot",
    doc="The operator aten::vdot.",
    spec="sha256:367409b7ca04c87d22a517ead6ec0d60026f85d2f232150c3e69cf7470684805",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.vdot.default


@_onnxop.script.scripted(OP)
def vdot(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::vdot.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::vdot returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Vdot(torch.nn.Module):
    """`vdot` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return vdot(
            input,
            other,
        )
