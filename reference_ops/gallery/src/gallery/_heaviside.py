"""aten::heaviside: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::heaviside.default",
    existing="aten::heaviside.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="heaviside",
    doc="The operator aten::heaviside.",
    spec="sha256:14e3b3df0ddcdab2691cdfb0e1c7c99253ed051e17f60604758d3e8d26d95a1b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.heaviside.default


def heaviside(
    self: Tensor,
    values: Tensor,
) -> Tensor:
    """The operator aten::heaviside.

    Args:
        self: a tensor.
        values: a tensor.

    Returns:
        What PyTorch's aten::heaviside returns.
    """
    result: Tensor = _operator(
        self,
        values,
    )
    return result


class Heaviside(torch.nn.Module):
    """`heaviside` as a module."""

    def forward(
        self,
        input: Tensor,
        values: Tensor,
    ) -> Tensor:
        return heaviside(
            input,
            values,
        )
