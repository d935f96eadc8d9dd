"""aten::argsort: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::argsort.default",
    existing="aten::argsort.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="argsort",
    doc="The operator aten::argsort.",
    spec="sha256:8d2e36841a667d162e602ac95ec6516fab1ebb18e1f076d47ae057bfbf36f11b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.argsort.default


@_onnxop.script.scripted(OP)
def argsort(
    self: Tensor,
    dim: int = -1,
    descending: bool = False,
) -> Tensor:
    """The operator aten::argsort.

    Args:
        self: a tensor.
        dim: an integer; -1 by default.
        descending: a boolean; False by default.

    Returns:
        What PyTorch's aten::argsort returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        descending,
    )
    return result


class Argsort(torch.nn.Module):
    """`argsort` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int = -1,
        descending: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.descending = descending

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return argsort(
            input,
            self.dim,
            self.descending,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"descending={self.descending}",
            ]
        )
