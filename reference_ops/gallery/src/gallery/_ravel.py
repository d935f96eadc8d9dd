"""aten::ravel: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::ravel.default",
    existing="aten::ravel.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="ravel",
    doc="The operator aten::ravel.",
    spec="sha256:a3219371cb42660525d7ffa6661d22f3f6d2be8da2870d748cf4ec22ac37a00e",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.ravel.default


@_onnxop.script.scripted(OP)
def ravel(
    self: Tensor,
) -> Tensor:
    """The operator aten::ravel.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::ravel returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Ravel(torch.nn.Module):
    """`ravel` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return ravel(
            input,
        )
