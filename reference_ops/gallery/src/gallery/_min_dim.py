"""aten::min: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::min.dim",
    called="min_dim",
    existing="aten::min.dim",
    results=[
        "values",
        "indices",
    ],
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="min_dim",
    doc="The operator aten::min.dim.",
    spec="sha256:f18ef413ca05e2c8ac3fccd0ddc40e8d6389483b39b393b7d77658c660634b76",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.min.dim


@_onnxop.script.scripted(OP)
def min_dim(
    self: Tensor,
    dim: int,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::min.dim.

    Args:
        self: a tensor.
        dim: an integer.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::min returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class MinDim(torch.nn.Module):
    """`min_dim` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return min_dim(
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
