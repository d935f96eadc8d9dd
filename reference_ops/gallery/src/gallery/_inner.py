"""aten::inner: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::inner.default",
    existing="aten::inner.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="inner",
    doc="The operator aten::inner.",
    spec="sha256:3e083357fb969e8932134f17e569e5d3b48c202de25b1504745a20453e8783b4",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.inner.default


@_onnxop.script.scripted(OP)
def inner(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::inner.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::inner returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Inner(torch.nn.Module):
    """`inner` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return inner(
            input,
            other,
        )
