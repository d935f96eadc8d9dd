"""aten::bincount: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::bincount.default",
    existing="aten::bincount.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="bincount",
    doc="The operator aten::bincount.",
    spec="sha256:def87e37368327320ab2e924807395b12ed501f929eb3208d7221e8d9f5b6aa2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.bincount.default


@_onnxop.script.scripted(OP)
def bincount(
    self: Tensor,
    weights: Tensor | None = None,
    minlength: int = 0,
) -> Tensor:
    """The operator aten::bincount.

    Args:
        self: a tensor.
        weights: a tensor or None; None by default.
        minlength: an integer; 0 by default.

    Returns:
        What PyTorch's aten::bincount returns.
    """
    result: Tensor = _operator(
        self,
        weights,
        minlength,
    )
    return result


class Bincount(torch.nn.Module):
    """`bincount` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        minlength: int = 0,
    ) -> None:
        super().__init__()
        self.minlength = minlength

    def forward(
        self,
        input: Tensor,
        weights: Tensor | None = None,
    ) -> Tensor:
        return bincount(
            input,
            weights,
            self.minlength,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"minlength={self.minlength}",
            ]
        )
