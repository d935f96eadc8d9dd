"""aten::alias_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::alias_copy.default",
    existing="aten::alias_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="alias_copy",
    doc="The operator aten::alias_copy.",
    spec="sha256:02243379b003b17cf8b08364e917de0478b42ebd3599973d810ee074be6c8387",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.alias_copy.default


@_onnxop.script.scripted(OP)
def alias_copy(
    self: Tensor,
) -> Tensor:
    """The operator aten::alias_copy.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::alias_copy returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class AliasCopy(torch.nn.Module):
    """`alias_copy` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return alias_copy(
            input,
        )
