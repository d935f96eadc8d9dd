"""aten::argwhere: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::argwhere.default",
    existing="aten::argwhere.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="argwhere",
    doc="The operator aten::argwhere.",
    spec="sha256:e85fc7f1af78fca57ba4866131559e12a8e959df19e7cebb098c1f03d860174a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.argwhere.default


def argwhere(
    self: Tensor,
) -> Tensor:
    """The operator aten::argwhere.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::argwhere returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Argwhere(torch.nn.Module):
    """`argwhere` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return argwhere(
            input,
        )
