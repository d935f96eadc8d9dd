"""aten::floor_divide: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::floor_divide.default",
    existing="aten::floor_divide.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="floor_divide",
    doc="The operator aten::floor_divide.",
    spec="sha256:1b9524c7150573fc738902a1d7332eefe3ed4e0549fecf0bbc251a7a03a51b51",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.floor_divide.default


@_onnxop.script.scripted(OP)
def floor_divide(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::floor_divide.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::floor_divide returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class FloorDivide(torch.nn.Module):
    """`floor_divide` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return floor_divide(
            input,
            other,
        )
