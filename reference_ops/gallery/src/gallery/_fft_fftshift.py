"""aten::fft_fftshift: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::fft_fftshift.default",
    existing="aten::fft_fftshift.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="fft_fftshift",
    doc="The operator aten::fft_fftshift.",
    spec="sha256:5bbd0172475a8d5921ae446ade67f92ec0928555fe630a91ff3c965bfaad60eb",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fft_fftshift.default


@_onnxop.script.scripted(OP)
def fft_fftshift(
    self: Tensor,
    dim: Sequence[int] | None = None,
) -> Tensor:
    """The operator aten::fft_fftshift.

    Args:
        self: a tensor.
        dim: 1 integers or None; None by default.

    Returns:
        What PyTorch's aten::fft_fftshift returns.
    """
    result: Tensor = _operator(
        self,
        dim,
    )
    return result


class FftFftshift(torch.nn.Module):
    """`fft_fftshift` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: Sequence[int] | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return fft_fftshift(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
