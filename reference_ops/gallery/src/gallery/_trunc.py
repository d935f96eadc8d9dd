"""aten::trunc: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::trunc.default",
    existing="aten::trunc.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="trunc",
    doc="The operator aten::trunc.",
    spec="sha256:c14fa714b08c8a7e6b0b7b27bcbf127b57e1562966b71607c0e6f0dcdc894b01",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.trunc.default


@_onnxop.script.scripted(OP)
def trunc(
    self: Tensor,
) -> Tensor:
    """The operator aten::trunc.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::trunc returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Trunc(torch.nn.Module):
    """`trunc` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return trunc(
            input,
        )
