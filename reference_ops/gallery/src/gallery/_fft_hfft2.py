"""aten::fft_hfft2: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::fft_hfft2.default",
    existing="aten::fft_hfft2.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="fft_hfft2",
    doc="The operator aten::fft_hfft2.",
    spec="sha256:850790fe0e2bf6e6c9b815cd24a4ff53cc072ee438df62b6ab75a0d15c4a336c",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fft_hfft2.default


@_onnxop.script.scripted(OP)
def fft_hfft2(
    self: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """The operator aten::fft_hfft2.

    Args:
        self: a tensor.
        s: 1 integers or None; None by default.
        dim: 1 integers; (-2, -1) by default.
        norm: a string or None; None by default.

    Returns:
        What PyTorch's aten::fft_hfft2 returns.
    """
    result: Tensor = _operator(
        self,
        s,
        dim,
        norm,
    )
    return result


class FftHfft2(torch.nn.Module):
    """`fft_hfft2` as a module; what is no tensor is fixed."""

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
        return fft_hfft2(
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
