"""aten::all: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::all.default",
    existing="aten::all.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="all",
    doc="The operator aten::all.",
    spec="sha256:d365c71143c7debcd39cb9fac6060163d32931586316d7f1a3af00e4b127270b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.all.default


@_onnxop.script.scripted(OP)
def all(
    self: Tensor,
) -> Tensor:
    """The operator aten::all.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::all returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class All(torch.nn.Module):
    """`all` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return all(
            input,
        )
