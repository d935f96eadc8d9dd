"""aten::linalg_vecdot: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_vecdot.default",
    existing="aten::linalg_vecdot.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_vecdot",
    doc="The operator aten::linalg_vecdot.",
    spec="sha256:cf2eecfb357b26d3c41b22b9d90bb85ae709f4e252c8af7823e06ba5708b519a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_vecdot.default


@_onnxop.script.scripted(OP)
def linalg_vecdot(
    x: Tensor,
    y: Tensor,
    *,
    dim: int = -1,
) -> Tensor:
    """The operator aten::linalg_vecdot.

    Args:
        x: a tensor.
        y: a tensor.
        dim: an integer; -1 by default.

    Returns:
        What PyTorch's aten::linalg_vecdot returns.
    """
    result: Tensor = _operator(
        x,
        y,
        dim=dim,
    )
    return result


class LinalgVecdot(torch.nn.Module):
    """`linalg_vecdot` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        dim: int = -1,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        x: Tensor,
        y: Tensor,
    ) -> Tensor:
        return linalg_vecdot(
            x,
            y,
            dim=self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
