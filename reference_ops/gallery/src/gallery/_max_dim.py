"""aten::max: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::max.dim",
    called="max_dim",
    existing="aten::max.dim",
    results=[
        "values",
        "indices",
    ],
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="max_dim",
    doc="The operator aten::max.dim.",
    spec="sha256:89d8e66e73b7e7d6402e1b9ba549a2c2666a5bb1d42054de0d5b553f5c79bab8",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.max.dim


@_onnxop.script.scripted(OP)
def max_dim(
    self: Tensor,
    dim: int,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::max.dim.

    Args:
        self: a tensor.
        dim: an integer.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::max returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class MaxDim(torch.nn.Module):
    """`max_dim` as a module; what is no tensor is fixed."""

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
        return max_dim(
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
