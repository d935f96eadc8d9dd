"""aten::asinh: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::asinh.default",
    existing="aten::asinh.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="asinh",
    doc="The operator aten::asinh.",
    spec="sha256:91db167d11aa929e49c1db3ab05f61b2d8c663559dd28f4fb5b9fddedbc2c4a4",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.asinh.default


@_onnxop.script.scripted(OP)
def asinh(
    self: Tensor,
) -> Tensor:
    """The operator aten::asinh.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::asinh returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Asinh(torch.nn.Module):
    """`asinh` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return asinh(
            input,
        )
