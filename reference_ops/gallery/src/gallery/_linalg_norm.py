"""aten::linalg_norm: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_norm.default",
    existing="aten::linalg_norm.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_norm",
    doc="The operator aten::linalg_norm.",
    spec="sha256:067fca91383e8509be61dc5063aaccae4ca703436136be1752e4714d2fb0572d",
    held=[
        "dtype",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_norm.default


@_onnxop.script.scripted(OP)
def linalg_norm(
    self: Tensor,
    ord: float | None = None,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::linalg_norm.

    Args:
        self: a tensor.
        ord: a number or None; None by default.
        dim: 1 integers or None; None by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_norm returns.
    """
    result: Tensor = _operator(
        self,
        _onnxop.number(ord),
        dim,
        keepdim,
    )
    return result


class LinalgNorm(torch.nn.Module):
    """`linalg_norm` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        ord: float | None = None,
        dim: Sequence[int] | None = None,
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
        return linalg_norm(
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
