"""aten::special_entr: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::special_entr.default",
    existing="aten::special_entr.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="special_entr",
    doc="The operator aten::special_entr.",
    spec="sha256:5b384bdee5af8841bd5c15d3335a2b29dd4d681cd91bfcac0621be676bad921a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_entr.default


@_onnxop.script.scripted(OP)
def special_entr(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_entr.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_entr returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialEntr(torch.nn.Module):
    """`special_entr` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_entr(
            input,
        )
