"""aten::bilinear: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::bilinear.default",
    existing="aten::bilinear.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="bilinear",
    doc="The operator aten::bilinear.",
    spec="sha256:79ca0ccf684c54a4d9824b3c128b939e7db62e41c2193ed07abe9ee9828ef77a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.bilinear.default


@_onnxop.script.scripted(OP)
def bilinear(
    input1: Tensor,
    input2: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
) -> Tensor:
    """The operator aten::bilinear.

    Args:
        input1: a tensor.
        input2: a tensor.
        weight: a tensor.
        bias: a tensor or None; None by default.

    Returns:
        What PyTorch's aten::bilinear returns.
    """
    result: Tensor = _operator(
        input1,
        input2,
        weight,
        bias,
    )
    return result


class Bilinear(torch.nn.Module):
    """`bilinear` as a module."""

    def forward(
        self,
        input1: Tensor,
        input2: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
    ) -> Tensor:
        return bilinear(
            input1,
            input2,
            weight,
            bias,
        )
