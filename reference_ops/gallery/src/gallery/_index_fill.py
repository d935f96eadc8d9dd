"""aten::index_fill: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::index_fill.int_Scalar",
    existing="aten::index_fill.int_Scalar",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="index_fill",
    doc="The operator aten::index_fill.",
    spec="sha256:bf75ed7f773179b3512ed985de1a9b9436ca72db5244730c30d6247525ddebfd",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.index_fill.int_Scalar


@_onnxop.script.scripted(OP)
def index_fill(
    self: Tensor,
    dim: int,
    index: Tensor,
    value: float,
) -> Tensor:
    """The operator aten::index_fill.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        value: a number.

    Returns:
        What PyTorch's aten::index_fill returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        _onnxop.number(value),
    )
    return result


class IndexFill(torch.nn.Module):
    """`index_fill` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        value: float,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.value = value

    def forward(
        self,
        input: Tensor,
        index: Tensor,
    ) -> Tensor:
        return index_fill(
            input,
            self.dim,
            index,
            self.value,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"value={self.value}",
            ]
        )
