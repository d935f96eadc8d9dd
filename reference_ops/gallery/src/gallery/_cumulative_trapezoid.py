"""aten::cumulative_trapezoid: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::cumulative_trapezoid.x",
    existing="aten::cumulative_trapezoid.x",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="cumulative_trapezoid",
    doc="The operator aten::cumulative_trapezoid.",
    spec="sha256:4d73e5a18d68e995ea9373d130c1657a2981f4428994e8e5e77908d58a16ac54",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cumulative_trapezoid.x


@_onnxop.script.scripted(OP)
def cumulative_trapezoid(
    y: Tensor,
    x: Tensor,
    *,
    dim: int = -1,
) -> Tensor:
    """The operator aten::cumulative_trapezoid.

    Args:
        y: a tensor.
        x: a tensor.
        dim: an integer; -1 by default.

    Returns:
        What PyTorch's aten::cumulative_trapezoid returns.
    """
    result: Tensor = _operator(
        y,
        x,
        dim=dim,
    )
    return result


class CumulativeTrapezoid(torch.nn.Module):
    """`cumulative_trapezoid` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        dim: int = -1,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        y: Tensor,
        x: Tensor,
    ) -> Tensor:
        return cumulative_trapezoid(
            y,
            x,
            dim=self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
