"""aten::t_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::t_copy.default",
    existing="aten::t_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="t_copy",
    doc="The operator aten::t_copy.",
    spec="sha256:7b1732c123b80304949ecd18e5da3f0e746786424c2d05dff374558f3a6e3a3e",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.t_copy.default


@_onnxop.script.scripted(OP)
def t_copy(
    self: Tensor,
) -> Tensor:
    """The operator aten::t_copy.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::t_copy returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class TCopy(torch.nn.Module):
    """`t_copy` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return t_copy(
            input,
        )
