"""aten::signbit: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::signbit.default",
    existing="aten::signbit.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="signbit",
    doc="The operator aten::signbit.",
    spec="sha256:34059a13671de7a871533eda7458a4a5de7cfa0f1106e92b27edef60d0253096",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.signbit.default


def signbit(
    self: Tensor,
) -> Tensor:
    """The operator aten::signbit.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::signbit returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Signbit(torch.nn.Module):
    """`signbit` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return signbit(
            input,
        )
