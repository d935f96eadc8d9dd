"""aten::index_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::index_copy.default",
    existing="aten::index_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="index_copy",
    doc="The operator aten::index_copy.",
    spec="sha256:d5ebb57d60d16443c6462bb0ef2dddfbe6d6f0f16698e72045a0aadda161ddfe",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.index_copy.default


@_onnxop.script.scripted(OP)
def index_copy(
    self: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
) -> Tensor:
    """The operator aten::index_copy.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        source: a tensor.

    Returns:
        What PyTorch's aten::index_copy returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        source,
    )
    return result


class IndexCopy(torch.nn.Module):
    """`index_copy` as a module; what is no tensor is fixed."""

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
        source: Tensor,
    ) -> Tensor:
        return index_copy(
            input,
            self.dim,
            index,
            source,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
