"""aten::linalg_vecdot: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any, y: Any, dim: Any) -> Any:
    """aten::linalg_vecdot in ONNX; `op` writes the nodes for the exporter that asks."""
    place = dim if dim >= 0 else dim + max(op.rank(x), op.rank(y))
    mul = op.Mul(x, y)
    shape = op.Shape(mul)
    expand = op.Expand(x, shape)
    x_2 = op.Transpose(
        expand,
        perm=list(range(place)) + list(range(place + 1, max(op.rank(x), op.rank(y)))) + [place],
    )
    expand_2 = op.Expand(y, shape)
    y_2 = op.Transpose(
        expand_2,
        perm=list(range(place)) + list(range(place + 1, max(op.rank(x), op.rank(y)))) + [place],
    )
    unsqueeze = op.Unsqueeze(x_2, op.constant([-2], like="INT64"))
    unsqueeze_2 = op.Unsqueeze(y_2, op.constant([-1], like="INT64"))
    mat_mul = op.MatMul(unsqueeze, unsqueeze_2)
    return op.Squeeze(mat_mul, op.constant([-2, -1], like="INT64"))


OP = _onnxop.Operator(
    name="aten::linalg_vecdot.default",
    existing="aten::linalg_vecdot.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_vecdot",
    doc="The operator aten::linalg_vecdot.",
    spec="sha256:0f0354272750e922bee28c6c1e01b5d140298b98333218b62228b7bedad78fb1",
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
