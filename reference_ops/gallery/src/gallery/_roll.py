"""aten::roll: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::roll.default",
    existing="aten::roll.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="roll",
    doc="The operator aten::roll.",
    spec="sha256:baa4f19a200f975d5f2baa6de1e0bdc2bd0d649dc07eb285c085382eec933a2d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.roll.default


@_onnxop.script.scripted(OP)
def roll(
    self: Tensor,
    shifts: Sequence[int],
    dims: Sequence[int] = (),
) -> Tensor:
    """The operator aten::roll.

    Args:
        self: a tensor.
        shifts: 1 integers.
        dims: 1 integers; () by default.

    Returns:
        What PyTorch's aten::roll returns.
    """
    result: Tensor = _operator(
        self,
        shifts,
        dims,
    )
    return result


class Roll(torch.nn.Module):
    """`roll` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        shifts: Sequence[int],
        dims: Sequence[int] = (),
    ) -> None:
        super().__init__()
        self.shifts = shifts
        self.dims = dims

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return roll(
            input,
            self.shifts,
            self.dims,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"shifts={self.shifts}",
                f"dims={self.dims}",
            ]
        )
