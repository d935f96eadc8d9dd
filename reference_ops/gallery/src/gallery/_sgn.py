"""aten::sgn: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::sgn.default",
    existing="aten::sgn.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="sgn",
    doc="The operator aten::sgn.",
    spec="sha256:ae9311574af9577731909df432b8ca38f8de3eb79880f825ee3656c81f519da9",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.sgn.default


def sgn(
    self: Tensor,
) -> Tensor:
    """The operator aten::sgn.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::sgn returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Sgn(torch.nn.Module):
    """`sgn` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return sgn(
            input,
        )
