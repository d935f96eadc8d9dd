"""aten::fft_hfftn: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::fft_hfftn.default",
    existing="aten::fft_hfftn.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="fft_hfftn",
    doc="The operator aten::fft_hfftn.",
    spec="sha256:ca80ed6e2232d7579ce09422023768d6d3b8c0845234c9ca110427cf3e80f2db",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fft_hfftn.default


@_onnxop.script.scripted(OP)
def fft_hfftn(
    self: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """The operator aten::fft_hfftn.

    Args:
        self: a tensor.
        s: 1 integers or None; None by default.
        dim: 1 integers or None; None by default.
        norm: a string or None; None by default.

    Returns:
        What PyTorch's aten::fft_hfftn returns.
    """
    result: Tensor = _operator(
        self,
        s,
        dim,
        norm,
    )
    return result


class FftHfftn(torch.nn.Module):
    """`fft_hfftn` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        s: Sequence[int] | None = None,
        dim: Sequence[int] | None = None,
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
        return fft_hfftn(
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
