"""aten::mH: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


OP = _onnxop.Operator(
    name="aten::mH.default",
    existing="aten::mH.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="mH",
    doc="The operator aten::mH.",
    spec="sha256:fe1b91e93ced6cf0231fb3fa33c8dbba8184fceae03bf322e48c75a6c31ab315",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.mH.default


def mH(
    self: Tensor,
) -> Tensor:
    """The operator aten::mH.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::mH returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class MH(torch.nn.Module):
    """`mH` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return mH(
            input,
        )
