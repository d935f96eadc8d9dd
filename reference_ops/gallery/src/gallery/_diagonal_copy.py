"""aten::diagonal_copy: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, offset: Any, dim1: Any, dim2: Any) -> Any:
    """aten::diagonal_copy in ONNX; `op` writes the nodes for the exporter that asks."""
    rest = [d + (1 if d >= min(dim1 % op.rank(self), dim2 % op.rank(self)) else 0) + (1 if d + 1 >= max(dim1 % op.rank(self), dim2 % op.rank(self)) else 0) for d in range(op.rank(self) - 2)]  # fmt: skip
    planes = op.Transpose(self, perm=list(rest) + [dim1 % op.rank(self), dim2 % op.rank(self)])
    shape = op.Shape(planes)
    height = op.Gather(shape, op.constant(op.rank(self) - 2, like="INT64"))
    shape_2 = op.Shape(planes)
    width = op.Gather(shape_2, op.constant(op.rank(self) - 1, like="INT64"))
    sub = op.Sub(height, op.constant(max(-offset, 0), like="INT64"))
    sub_2 = op.Sub(width, op.constant(max(offset, 0), like="INT64"))
    min_2 = op.Min(sub, sub_2)
    max_2 = op.Max(min_2, op.constant(0, like="INT64"))
    index = op.Range(op.constant(0, like="INT64"), max_2, op.constant(1, like="INT64"))
    add = op.Add(index, op.constant(max(-offset, 0), like="INT64"))
    rows = op.Gather(planes, add, axis=-2)
    add_2 = op.Add(index, op.constant(max(offset, 0), like="INT64"))
    columns = op.Unsqueeze(add_2, op.constant([1], like="INT64"))
    shape_3 = op.Shape(rows)
    slice = op.Slice(
        shape_3,
        op.constant([0], like="INT64"),
        op.constant([-1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    concat = op.Concat(slice, op.constant([1], like="INT64"), axis=0)
    places = op.Expand(columns, concat)
    gather_elements = op.GatherElements(rows, places, axis=-1)
    return op.Squeeze(gather_elements, op.constant([-1], like="INT64"))


OP = _onnxop.Operator(
    name="aten::diagonal_copy.default",
    existing="aten::diagonal_copy.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="diagonal_copy",
    doc="The operator aten::diagonal_copy.",
    spec="sha256:b251fc19e9009b0e7b6a94f6723878a0af9b87c20f3b41f4e116c5367d47dceb",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.diagonal_copy.default


@_onnxop.script.scripted(OP)
def diagonal_copy(
    self: Tensor,
    offset: int = 0,
    dim1: int = 0,
    dim2: int = 1,
) -> Tensor:
    """The operator aten::diagonal_copy.

    Args:
        self: a tensor.
        offset: an integer; 0 by default.
        dim1: an integer; 0 by default.
        dim2: an integer; 1 by default.

    Returns:
        What PyTorch's aten::diagonal_copy returns.
    """
    result: Tensor = _operator(
        self,
        offset,
        dim1,
        dim2,
    )
    return result


class DiagonalCopy(torch.nn.Module):
    """`diagonal_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        offset: int = 0,
        dim1: int = 0,
        dim2: int = 1,
    ) -> None:
        super().__init__()
        self.offset = offset
        self.dim1 = dim1
        self.dim2 = dim2

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return diagonal_copy(
            input,
            self.offset,
            self.dim1,
            self.dim2,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"offset={self.offset}",
                f"dim1={self.dim1}",
                f"dim2={self.dim2}",
            ]
        )
