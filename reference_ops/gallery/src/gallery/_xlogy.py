"""aten::xlogy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::xlogy.Tensor",
    existing="aten::xlogy.Tensor",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="xlogy",
    doc="The operator aten::xlogy.",
    spec="sha256:57f9c481ac5fb0850a22419b270a89bf684708283711fa62510cf774dffcdde1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.xlogy.Tensor


@_onnxop.script.scripted(OP)
def xlogy(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::xlogy.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::xlogy returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Xlogy(torch.nn.Module):
    """`xlogy` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return xlogy(
            input,
            other,
        )
