"""aten::matrix_H: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::matrix_H.default",
    existing="aten::matrix_H.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="matrix_H",
    doc="The operator aten::matrix_H.",
    spec="sha256:7761a9dee67a5161eae713e27c86f0618337bdb51243ff0dc79f156837bd52b1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.matrix_H.default


@_onnxop.script.scripted(OP)
def matrix_H(
    self: Tensor,
) -> Tensor:
    """The operator aten::matrix_H.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::matrix_H returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class MatrixH(torch.nn.Module):
    """`matrix_H` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return matrix_H(
            input,
        )
