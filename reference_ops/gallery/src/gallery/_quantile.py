"""aten::quantile: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::quantile.default",
    existing="aten::quantile.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="quantile",
    doc="The operator aten::quantile.",
    spec="sha256:f73d1903073797ffffb9bc1d275c1d9956ecc5538d41c0a2f598d4d4380b791f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.quantile.default


@_onnxop.script.scripted(OP)
def quantile(
    self: Tensor,
    q: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The operator aten::quantile.

    Args:
        self: a tensor.
        q: a tensor.
        dim: an integer or None; None by default.
        keepdim: a boolean; False by default.
        interpolation: a string; 'linear' by default.

    Returns:
        What PyTorch's aten::quantile returns.
    """
    result: Tensor = _operator(
        self,
        q,
        dim,
        keepdim,
        interpolation=interpolation,
    )
    return result


class Quantile(torch.nn.Module):
    """`quantile` as a module; what is no tensor is fixed."""

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
        return quantile(
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
