"""aten::msort: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::msort.default",
    existing="aten::msort.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="msort",
    doc="The operator aten::msort.",
    spec="sha256:ea48974939a6853a7a2afdf1319f4cd5ae9229d88409fd472d6f3bb5b596c5e7",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.msort.default


def msort(
    self: Tensor,
) -> Tensor:
    """The operator aten::msort.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::msort returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Msort(torch.nn.Module):
    """`msort` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return msort(
            input,
        )
