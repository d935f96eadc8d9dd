"""aten::linalg_matrix_norm: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_matrix_norm.default",
    existing="aten::linalg_matrix_norm.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_matrix_norm",
    doc="The operator aten::linalg_matrix_norm.",
    spec="sha256:b3054f6e7263d2dd7b1bbcaa3c413202c93a06380ff5d38fee6e40455b5ed24e",
    held=[
        "dtype",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_matrix_norm.default


@_onnxop.script.scripted(OP)
def linalg_matrix_norm(
    self: Tensor,
    ord: float,
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::linalg_matrix_norm.

    Args:
        self: a tensor.
        ord: a number.
        dim: integers; (-2, -1) by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_matrix_norm returns.
    """
    result: Tensor = _operator(
        self,
        _onnxop.number(ord),
        dim,
        keepdim,
    )
    return result


class LinalgMatrixNorm(torch.nn.Module):
    """`linalg_matrix_norm` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        ord: float,
        dim: Sequence[int] = (-2, -1),
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.ord = ord
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return linalg_matrix_norm(
            input,
            self.ord,
            self.dim,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"ord={self.ord}",
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
