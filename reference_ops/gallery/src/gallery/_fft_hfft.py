"""aten::fft_hfft: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::fft_hfft.default",
    existing="aten::fft_hfft.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="fft_hfft",
    doc="The operator aten::fft_hfft.",
    spec="sha256:bddb520578b74cb9bba4baea6259bd49d73a22552a50252f729dcc81d9919472",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fft_hfft.default


@_onnxop.script.scripted(OP)
def fft_hfft(
    self: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
) -> Tensor:
    """The operator aten::fft_hfft.

    Args:
        self: a tensor.
        n: an integer or None; None by default.
        dim: an integer; -1 by default.
        norm: a string or None; None by default.

    Returns:
        What PyTorch's aten::fft_hfft returns.
    """
    result: Tensor = _operator(
        self,
        n,
        dim,
        norm,
    )
    return result


class FftHfft(torch.nn.Module):
    """`fft_hfft` as a module; what is no tensor is fixed."""

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
        return fft_hfft(
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
