"""aten::fft_irfftn: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::fft_irfftn.default",
    existing="aten::fft_irfftn.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="fft_irfftn",
    doc="The operator aten::fft_irfftn.",
    spec="sha256:52ad6b639f5148eabc6437b4ace0df636aa6a5000c7393908e4577bfa9ecec33",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fft_irfftn.default


@_onnxop.script.scripted(OP)
def fft_irfftn(
    self: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """The operator aten::fft_irfftn.

    Args:
        self: a tensor.
        s: 1 integers or None; None by default.
        dim: 1 integers or None; None by default.
        norm: a string or None; None by default.

    Returns:
        What PyTorch's aten::fft_irfftn returns.
    """
    result: Tensor = _operator(
        self,
        s,
        dim,
        norm,
    )
    return result


class FftIrfftn(torch.nn.Module):
    """`fft_irfftn` as a module; what is no tensor is fixed."""

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
        return fft_irfftn(
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
