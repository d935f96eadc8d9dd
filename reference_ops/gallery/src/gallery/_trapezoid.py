"""aten::trapezoid: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::trapezoid.x",
    existing="aten::trapezoid.x",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="trapezoid",
    doc="The operator aten::trapezoid.",
    spec="sha256:91708b4f1abebb898cd896d7f7fd76e41e8256f48f75c0e1582351a876c8a7d1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.trapezoid.x


@_onnxop.script.scripted(OP)
def trapezoid(
    y: Tensor,
    x: Tensor,
    *,
    dim: int = -1,
) -> Tensor:
    """The operator aten::trapezoid.

    Args:
        y: a tensor.
        x: a tensor.
        dim: an integer; -1 by default.

    Returns:
        What PyTorch's aten::trapezoid returns.
    """
    result: Tensor = _operator(
        y,
        x,
        dim=dim,
    )
    return result


class Trapezoid(torch.nn.Module):
    """`trapezoid` as a module; what is no tensor is fixed."""

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
        return trapezoid(
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
