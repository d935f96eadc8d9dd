"""aten::sum: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::sum.dim_IntList",
    called="sum_dim",
    existing="aten::sum.dim_IntList",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="sum_dim",
    doc="The operator aten::sum.dim_IntList.",
    spec="sha256:0890d322215cff5834a4ab9eed209fa6146ad4ef36fe9eaddf80277df891f8c6",
    held=[
        "dtype",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.sum.dim_IntList


@_onnxop.script.scripted(OP)
def sum_dim(
    self: Tensor,
    dim: Sequence[int] | None,
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::sum.dim_IntList.

    Args:
        self: a tensor.
        dim: 1 integers or None.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::sum returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class SumDim(torch.nn.Module):
    """`sum_dim` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: Sequence[int] | None,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return sum_dim(
            input,
            self.dim,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
