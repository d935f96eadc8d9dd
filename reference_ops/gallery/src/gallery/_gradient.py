"""aten::gradient: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::gradient.scalarint",
    existing="aten::gradient.scalarint",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="gradient",
    doc="The operator aten::gradient.",
    spec="sha256:4be48ca6a9b55844c5362e8de3d4a71c51e9861e324a289832a698b8aee81ffb",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.gradient.scalarint


@_onnxop.script.scripted(OP)
def gradient(
    self: Tensor,
    *,
    spacing: float | None = None,
    dim: int | None = None,
    edge_order: int = 1,
) -> list[Tensor]:
    """The operator aten::gradient.

    Args:
        self: a tensor.
        spacing: a number or None; None by default.
        dim: an integer or None; None by default.
        edge_order: an integer; 1 by default.

    Returns:
        What PyTorch's aten::gradient returns.
    """
    result: list[Tensor] = _operator(
        self,
        spacing=_onnxop.number(spacing),
        dim=dim,
        edge_order=edge_order,
    )
    return result


class Gradient(torch.nn.Module):
    """`gradient` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        spacing: float | None = None,
        dim: int | None = None,
        edge_order: int = 1,
    ) -> None:
        super().__init__()
        self.spacing = spacing
        self.dim = dim
        self.edge_order = edge_order

    def forward(
        self,
        input: Tensor,
    ) -> list[Tensor]:
        return gradient(
            input,
            spacing=self.spacing,
            dim=self.dim,
            edge_order=self.edge_order,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"spacing={self.spacing}",
                f"dim={self.dim}",
                f"edge_order={self.edge_order}",
            ]
        )
