"""aten::nanmean: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::nanmean.default",
    existing="aten::nanmean.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="nanmean",
    doc="The operator aten::nanmean.",
    spec="sha256:7998952b07c8c0bfb311a1c00f44738acec43d14d434b3f5387d4c4d0cc6d589",
    held=[
        "dtype",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nanmean.default


@_onnxop.script.scripted(OP)
def nanmean(
    self: Tensor,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::nanmean.

    Args:
        self: a tensor.
        dim: 1 integers or None; None by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::nanmean returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class Nanmean(torch.nn.Module):
    """`nanmean` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: Sequence[int] | None = None,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return nanmean(
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
