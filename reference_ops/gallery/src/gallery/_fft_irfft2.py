"""aten::fft_irfft2: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::fft_irfft2.default",
    existing="aten::fft_irfft2.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="fft_irfft2",
    doc="The operator aten::fft_irfft2.",
    spec="sha256:0199ede0f35fe07e07349da70f86c265f183ee2733f528542c7a24d07fe287b8",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fft_irfft2.default


@_onnxop.script.scripted(OP)
def fft_irfft2(
    self: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """The operator aten::fft_irfft2.

    Args:
        self: a tensor.
        s: 1 integers or None; None by default.
        dim: 1 integers; (-2, -1) by default.
        norm: a string or None; None by default.

    Returns:
        What PyTorch's aten::fft_irfft2 returns.
    """
    result: Tensor = _operator(
        self,
        s,
        dim,
        norm,
    )
    return result


class FftIrfft2(torch.nn.Module):
    """`fft_irfft2` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        s: Sequence[int] | None = None,
        dim: Sequence[int] = (-2, -1),
        norm: str | None = None,
    ) -> None:
        super().__init__()
        self.s = s
        self.dim = dim
        self.norm = norm

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return fft_irfft2(
            input,
            self.s,
            self.dim,
            self.norm,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"s={self.s}",
                f"dim={self.dim}",
                f"norm={self.norm}",
            ]
        )
