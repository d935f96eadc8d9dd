"""aten::mT: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::mT.default",
    existing="aten::mT.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="mT",
    doc="The operator aten::mT.",
    spec="sha256:36a477b389bb3e54fcda32479e3257d5ba280f8255adae2f1d165a3b65fb4107",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.mT.default


@_onnxop.script.scripted(OP)
def mT(
    self: Tensor,
) -> Tensor:
    """The operator aten::mT.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::mT returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class MT(torch.nn.Module):
    """`mT` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return mT(
            input,
        )
