"""aten::squeeze_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::squeeze_copy.default",
    existing="aten::squeeze_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="squeeze_copy",
    doc="The operator aten::squeeze_copy.",
    spec="sha256:0bf79e3e223cdfddcbda2a3bdb988a10819282c30abe6d5bfbbfc8a2279ccdcb",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.squeeze_copy.default


@_onnxop.script.scripted(OP)
def squeeze_copy(
    self: Tensor,
) -> Tensor:
    """The operator aten::squeeze_copy.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::squeeze_copy returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SqueezeCopy(torch.nn.Module):
    """`squeeze_copy` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return squeeze_copy(
            input,
        )
