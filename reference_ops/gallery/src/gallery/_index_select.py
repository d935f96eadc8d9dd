"""aten::index_select: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::index_select.default",
    existing="aten::index_select.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="index_select",
    doc="The operator aten::index_select.",
    spec="sha256:51263e126b8a19fe3d31ed2d16444e7dd4b9d07c80664638b46169239fca8752",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.index_select.default


@_onnxop.script.scripted(OP)
def index_select(
    self: Tensor,
    dim: int,
    index: Tensor,
) -> Tensor:
    """The operator aten::index_select.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.

    Returns:
        What PyTorch's aten::index_select returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
    )
    return result


class IndexSelect(torch.nn.Module):
    """`index_select` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
        index: Tensor,
    ) -> Tensor:
        return index_select(
            input,
            self.dim,
            index,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
