"""aten::linalg_vander: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any, N: Any) -> Any:
    """aten::linalg_vander in ONNX; `op` writes the nodes for the exporter that asks."""
    range = op.Range(
        op.constant(0, like="INT64"),
        op.constant(N if N is not None else op.size(x, -1), like="INT64"),
        op.constant(1, like="INT64"),
    )
    powers = op.Cast(range, to=1)
    unsqueeze = op.Unsqueeze(x, op.constant([-1], like="INT64"))
    return op.Pow(unsqueeze, powers)


OP = _onnxop.Operator(
    name="aten::linalg_vander.default",
    existing="aten::linalg_vander.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_vander",
    doc="The operator aten::linalg_vander.",
    spec="sha256:c233ab2d21ca5bb1701759078086923487b9d1a69dad9c7f06031cbcce111f06",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_vander.default


def linalg_vander(
    x: Tensor,
    *,
    N: int | None = None,
) -> Tensor:
    """The operator aten::linalg_vander.

    Args:
        x: a tensor.
        N: an integer or None; None by default.

    Returns:
        What PyTorch's aten::linalg_vander returns.
    """
    result: Tensor = _operator(
        x,
        N=N,
    )
    return result


class LinalgVander(torch.nn.Module):
    """`linalg_vander` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        N: int | None = None,
    ) -> None:
        super().__init__()
        self.N = N

    def forward(
        self,
        x: Tensor,
    ) -> Tensor:
        return linalg_vander(
            x,
            N=self.N,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"N={self.N}",
            ]
        )
