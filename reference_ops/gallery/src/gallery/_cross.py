"""aten::cross: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any, dim: Any) -> Any:
    """aten::cross in ONNX; `op` writes the nodes for the exporter that asks."""
    threes = [d if not op.is_open(self, d) and op.size(self, d) == 3 else op.rank(self) for d in range(op.rank(self))]  # fmt: skip
    axis = dim if dim is not None else min(threes) + 0 * sum([op.size(self, d_2) for d_2 in range(min(threes))])  # fmt: skip
    gather = op.Gather(self, op.constant([1, 2, 0], like="INT64"), axis=axis)
    gather_2 = op.Gather(other, op.constant([2, 0, 1], like="INT64"), axis=axis)
    ahead = op.Mul(gather, gather_2)
    gather_3 = op.Gather(self, op.constant([2, 0, 1], like="INT64"), axis=axis)
    gather_4 = op.Gather(other, op.constant([1, 2, 0], like="INT64"), axis=axis)
    mul = op.Mul(gather_3, gather_4)
    return op.Sub(ahead, mul)


OP = _onnxop.Operator(
    name="aten::cross.default",
    existing="aten::cross.default",
    rules={
        range(9, 26): rule,
    },
    torchscript=range(9, 24),
    dynamo=range(0),
    dynamo_opset=9,
    domain="gallery",
    op_type="cross",
    doc="The operator aten::cross.",
    spec="sha256:955f475c423377de990150ae685fdc1250867d5368c232ab404c0bfc39377509",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cross.default


@_onnxop.script.scripted(OP)
def cross(
    self: Tensor,
    other: Tensor,
    dim: int | None = None,
) -> Tensor:
    """The operator aten::cross.

    Args:
        self: a tensor.
        other: a tensor.
        dim: an integer or None; None by default.

    Returns:
        What PyTorch's aten::cross returns.
    """
    result: Tensor = _operator(
        self,
        other,
        dim,
    )
    return result


class Cross(torch.nn.Module):
    """`cross` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return cross(
            input,
            other,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
