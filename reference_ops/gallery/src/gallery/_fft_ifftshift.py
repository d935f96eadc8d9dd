"""aten::fft_ifftshift: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::fft_ifftshift.default",
    existing="aten::fft_ifftshift.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="fft_ifftshift",
    doc="The operator aten::fft_ifftshift.",
    spec="sha256:98cfee8f745ce02f655402f9221ad3b4de9be5f92278355112f90135c8103f5d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fft_ifftshift.default


@_onnxop.script.scripted(OP)
def fft_ifftshift(
    self: Tensor,
    dim: Sequence[int] | None = None,
) -> Tensor:
    """The operator aten::fft_ifftshift.

    Args:
        self: a tensor.
        dim: 1 integers or None; None by default.

    Returns:
        What PyTorch's aten::fft_ifftshift returns.
    """
    result: Tensor = _operator(
        self,
        dim,
    )
    return result


class FftIfftshift(torch.nn.Module):
    """`fft_ifftshift` as a module; what is no tensor is fixed."""

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
        return fft_ifftshift(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
