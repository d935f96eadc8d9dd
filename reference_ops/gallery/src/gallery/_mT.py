"""aten::mT: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

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
    spec="sha256:5a40a151a368b17ba8f0b39157a3acd78a4723e21fd086ff5379a7d6e7128eb7",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.mT.default


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
