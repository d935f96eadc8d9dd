"""aten::index_add: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::index_add.default",
    existing="aten::index_add.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="index_add",
    doc="The operator aten::index_add.",
    spec="sha256:27346110b6e9ca6de109fc1a4229c00f5465fd283a9e24a569ebd60149c95e7f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.index_add.default


@_onnxop.script.scripted(OP)
def index_add(
    self: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    *,
    alpha: float = 1,
) -> Tensor:
    """The operator aten::index_add.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        source: a tensor.
        alpha: a number; 1 by default.

    Returns:
        What PyTorch's aten::index_add returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        source,
        alpha=_onnxop.number(alpha),
    )
    return result


class IndexAdd(torch.nn.Module):
    """`index_add` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        *,
        alpha: float = 1,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.alpha = alpha

    def forward(
        self,
        input: Tensor,
        index: Tensor,
        source: Tensor,
    ) -> Tensor:
        return index_add(
            input,
            self.dim,
            index,
            source,
            alpha=self.alpha,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"alpha={self.alpha}",
            ]
        )
