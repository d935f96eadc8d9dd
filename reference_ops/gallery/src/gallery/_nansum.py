"""aten::nansum: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::nansum.default",
    existing="aten::nansum.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="nansum",
    doc="The operator aten::nansum.",
    spec="sha256:9c4873c120c0f0f724ab51da1c95a4f1ade41b0a9cd6374f83fd7480343dab32",
    held=[
        "dtype",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nansum.default


@_onnxop.script.scripted(OP)
def nansum(
    self: Tensor,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::nansum.

    Args:
        self: a tensor.
        dim: 1 integers or None; None by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::nansum returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class Nansum(torch.nn.Module):
    """`nansum` as a module; what is no tensor is fixed."""

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
        return nansum(
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
