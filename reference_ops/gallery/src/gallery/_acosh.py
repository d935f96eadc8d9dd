"""aten::acosh: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::acosh.default",
    existing="aten::acosh.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="acosh",
    doc="The operator aten::acosh.",
    spec="sha256:05c0bb521df6a043df6319159b06cd1c468adafb5389ca2c46831db7b8f8dd5c",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.acosh.default


@_onnxop.script.scripted(OP)
def acosh(
    self: Tensor,
) -> Tensor:
    """The operator aten::acosh.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::acosh returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Acosh(torch.nn.Module):
    """`acosh` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return acosh(
            input,
        )
