"""aten::fft_irfft: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::fft_irfft.default",
    existing="aten::fft_irfft.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="fft_irfft",
    doc="The operator aten::fft_irfft.",
    spec="sha256:2477e80ede99e71b57f74d33725f034b886dfb638937e7999d9932b82c53d6a2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fft_irfft.default


@_onnxop.script.scripted(OP)
def fft_irfft(
    self: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
) -> Tensor:
    """The operator aten::fft_irfft.

    Args:
        self: a tensor.
        n: an integer or None; None by default.
        dim: an integer; -1 by default.
        norm: a string or None; None by default.

    Returns:
        What PyTorch's aten::fft_irfft returns.
    """
    result: Tensor = _operator(
        self,
        n,
        dim,
        norm,
    )
    return result


class FftIrfft(torch.nn.Module):
    """`fft_irfft` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        n: int | None = None,
        dim: int = -1,
        norm: str | None = None,
    ) -> None:
        super().__init__()
        self.n = n
        self.dim = dim
        self.norm = norm

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return fft_irfft(
            input,
            self.n,
            self.dim,
            self.norm,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"n={self.n}",
                f"dim={self.dim}",
                f"norm={self.norm}",
            ]
        )
