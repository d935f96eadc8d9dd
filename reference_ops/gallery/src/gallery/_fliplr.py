"""aten::fliplr: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::fliplr.default",
    existing="aten::fliplr.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="fliplr",
    doc="The operator aten::fliplr.",
    spec="sha256:15506d3ef6771c7a6a80dc4ddb4c721d0f8018ba1770e2e8a04f5e6b0e30b981",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fliplr.default


@_onnxop.script.scripted(OP)
def fliplr(
    self: Tensor,
) -> Tensor:
    """The operator aten::fliplr.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::fliplr returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Fliplr(torch.nn.Module):
    """`fliplr` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return fliplr(
            input,
        )
