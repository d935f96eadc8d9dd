"""aten::select_scatter: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::select_scatter.default",
    existing="aten::select_scatter.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="select_scatter",
    doc="The operator aten::select_scatter.",
    spec="sha256:8bfa0507c1ba6ab6d119e64bc49464b200ab0de177660681e6e20349a81675d1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.select_scatter.default


@_onnxop.script.scripted(OP)
def select_scatter(
    self: Tensor,
    src: Tensor,
    dim: int,
    index: int,
) -> Tensor:
    """The operator aten::select_scatter.

    Args:
        self: a tensor.
        src: a tensor.
        dim: an integer.
        index: an integer.

    Returns:
        What PyTorch's aten::select_scatter returns.
    """
    result: Tensor = _operator(
        self,
        src,
        dim,
        index,
    )
    return result


class SelectScatter(torch.nn.Module):
    """`select_scatter` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        index: int,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.index = index

    def forward(
        self,
        input: Tensor,
        src: Tensor,
    ) -> Tensor:
        return select_scatter(
            input,
            src,
            self.dim,
            self.index,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"index={self.index}",
            ]
        )
