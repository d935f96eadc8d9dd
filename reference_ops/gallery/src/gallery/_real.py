"""aten::real: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::real.default",
    existing="aten::real.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="real",
    doc="The operator aten::real.",
    spec="sha256:eade86e075a8b8b30bdab1eaf7a38025fffdd4067d0f0d93ea7eb2d0150ff4b9",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.real.default


@_onnxop.script.scripted(OP)
def real(
    self: Tensor,
) -> Tensor:
    """The operator aten::real.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::real returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Real(torch.nn.Module):
    """`real` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return real(
            input,
        )
