"""aten::slice_scatter: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::slice_scatter.default",
    existing="aten::slice_scatter.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="slice_scatter",
    doc="The operator aten::slice_scatter.",
    spec="sha256:a752a30cead0fba556bd22597959a84b2183b775a88f6286e50353393a4ca4e9",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.slice_scatter.default


@_onnxop.script.scripted(OP)
def slice_scatter(
    self: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """The operator aten::slice_scatter.

    Args:
        self: a tensor.
        src: a tensor.
        dim: an integer; 0 by default.
        start: an integer or None; None by default.
        end: an integer or None; None by default.
        step: an integer; 1 by default.

    Returns:
        What PyTorch's aten::slice_scatter returns.
    """
    result: Tensor = _operator(
        self,
        src,
        dim,
        start,
        end,
        step,
    )
    return result


class SliceScatter(torch.nn.Module):
    """`slice_scatter` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int = 0,
        start: int | None = None,
        end: int | None = None,
        step: int = 1,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.start = start
        self.end = end
        self.step = step

    def forward(
        self,
        input: Tensor,
        src: Tensor,
    ) -> Tensor:
        return slice_scatter(
            input,
            src,
            self.dim,
            self.start,
            self.end,
            self.step,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"start={self.start}",
                f"end={self.end}",
                f"step={self.step}",
            ]
        )
