"""aten::trapz: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::trapz.x",
    existing="aten::trapz.x",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="trapz",
    doc="The operator aten::trapz.",
    spec="sha256:601a7d50ba09d7892592c87b1da1429a95ff9e7ab736f7ff64ccd13f9f9ec797",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.trapz.x


@_onnxop.script.scripted(OP)
def trapz(
    y: Tensor,
    x: Tensor,
    *,
    dim: int = -1,
) -> Tensor:
    """The operator aten::trapz.

    Args:
        y: a tensor.
        x: a tensor.
        dim: an integer; -1 by default.

    Returns:
        What PyTorch's aten::trapz returns.
    """
    result: Tensor = _operator(
        y,
        x,
        dim=dim,
    )
    return result


class Trapz(torch.nn.Module):
    """`trapz` as a module; what is no tensor is fixed."""

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
        return trapz(
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
