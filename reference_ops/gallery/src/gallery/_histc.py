"""aten::histc: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::histc.default",
    existing="aten::histc.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="histc",
    doc="The operator aten::histc.",
    spec="sha256:8e8b55c2f9c2fed5e7d6ff13c91f87f37558a5d6965734033722c4299d16523a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.histc.default


@_onnxop.script.scripted(OP)
def histc(
    self: Tensor,
    bins: int = 100,
    min: float = 0,
    max: float = 0,
) -> Tensor:
    """The operator aten::histc.

    Args:
        self: a tensor.
        bins: an integer; 100 by default.
        min: a number; 0 by default.
        max: a number; 0 by default.

    Returns:
        What PyTorch's aten::histc returns.
    """
    result: Tensor = _operator(
        self,
        bins,
        _onnxop.number(min),
        _onnxop.number(max),
    )
    return result


class Histc(torch.nn.Module):
    """`histc` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        bins: int = 100,
        min: float = 0,
        max: float = 0,
    ) -> None:
        super().__init__()
        self.bins = bins
        self.min = min
        self.max = max

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return histc(
            input,
            self.bins,
            self.min,
            self.max,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"bins={self.bins}",
                f"min={self.min}",
                f"max={self.max}",
            ]
        )
