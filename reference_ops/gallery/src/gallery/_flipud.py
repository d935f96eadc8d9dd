"""aten::flipud: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::flipud.default",
    existing="aten::flipud.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="flipud",
    doc="The operator aten::flipud.",
    spec="sha256:df7a74e791532d7b432d5dca36fda7ad38eda48f9df5c988010c76c383bea5a1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.flipud.default


@_onnxop.script.scripted(OP)
def flipud(
    self: Tensor,
) -> Tensor:
    """The operator aten::flipud.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::flipud returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Flipud(torch.nn.Module):
    """`flipud` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return flipud(
            input,
        )
