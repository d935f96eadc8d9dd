"""aten::nanquantile: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::nanquantile.default",
    existing="aten::nanquantile.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="nanquantile",
    doc="The operator aten::nanquantile.",
    spec="sha256:20860469551a8de7d0c46b74cbc109b5e7be31615707ed87df14221934bb39a0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nanquantile.default


@_onnxop.script.scripted(OP)
def nanquantile(
    self: Tensor,
    q: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The operator aten::nanquantile.

    Args:
        self: a tensor.
        q: a tensor.
        dim: an integer or None; None by default.
        keepdim: a boolean; False by default.
        interpolation: a string; 'linear' by default.

    Returns:
        What PyTorch's aten::nanquantile returns.
    """
    result: Tensor = _operator(
        self,
        q,
        dim,
        keepdim,
        interpolation=interpolation,
    )
    return result


class Nanquantile(torch.nn.Module):
    """`nanquantile` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim
        self.interpolation = interpolation

    def forward(
        self,
        input: Tensor,
        q: Tensor,
    ) -> Tensor:
        return nanquantile(
            input,
            q,
            self.dim,
            self.keepdim,
            interpolation=self.interpolation,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
                f"interpolation={self.interpolation}",
            ]
        )
