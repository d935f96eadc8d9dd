"""aten::diagonal_scatter: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    src: Any,
    offset: Any,
    dim1: Any,
    dim2: Any,
) -> Any:
    """aten::diagonal_scatter in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    gather = op.Gather(shape, op.constant(dim1 % op.rank(self), like="INT64"))
    rows = op.Range(op.constant(0, like="INT64"), gather, op.constant(1, like="INT64"))
    shape_2 = op.Shape(self)
    gather_2 = op.Gather(shape_2, op.constant(dim2 % op.rank(self), like="INT64"))
    columns = op.Range(op.constant(0, like="INT64"), gather_2, op.constant(1, like="INT64"))
    row = op.Reshape(
        rows,
        op.constant([-1 if d == dim1 % op.rank(self) else 1 for d in range(op.rank(self))], like="INT64"),
    )  # fmt: skip
    column = op.Reshape(
        columns,
        op.constant([-1 if d_2 == dim2 % op.rank(self) else 1 for d_2 in range(op.rank(self))], like="INT64"),
    )  # fmt: skip
    shape_3 = op.Shape(src)
    gather_3 = op.Gather(shape_3, op.constant(op.rank(src) - 1, like="INT64"))
    last = op.Sub(gather_3, op.constant(1, like="INT64"))
    sub = op.Sub(rows, op.constant(max(-offset, 0), like="INT64"))
    max_2 = op.Max(sub, op.constant(0, like="INT64"))
    place = op.Min(max_2, last)
    gather_4 = op.Gather(src, place, axis=-1)
    line = op.Unsqueeze(gather_4, op.constant([-1], like="INT64"))
    there = [op.rank(self) - 2 if d_3 == dim1 % op.rank(self) else op.rank(self) - 1 if d_3 == dim2 % op.rank(self) else d_3 - (1 if d_3 > dim1 % op.rank(self) else 0) - (1 if d_3 > dim2 % op.rank(self) else 0) for d_3 in range(op.rank(self))]  # fmt: skip
    line_2 = op.Transpose(line, perm=there)
    sub_2 = op.Sub(column, row)
    equal = op.Equal(sub_2, op.constant(offset, like="INT64"))
    return op.Where(equal, line_2, self)


OP = _onnxop.Operator(
    name="aten::diagonal_scatter.default",
    existing="aten::diagonal_scatter.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="diagonal_scatter",
    doc="The operator aten::diagonal_scatter.",
    spec="sha256:34be3b7a3292c5c62200994a668829828653a72428d2b691bd97ddaab6f9e393",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.diagonal_scatter.default


@_onnxop.script.scripted(OP)
def diagonal_scatter(
    self: Tensor,
    src: Tensor,
    offset: int = 0,
    dim1: int = 0,
    dim2: int = 1,
) -> Tensor:
    """The operator aten::diagonal_scatter.

    Args:
        self: a tensor.
        src: a tensor.
        offset: an integer; 0 by default.
        dim1: an integer; 0 by default.
        dim2: an integer; 1 by default.

    Returns:
        What PyTorch's aten::diagonal_scatter returns.
    """
    result: Tensor = _operator(
        self,
        src,
        offset,
        dim1,
        dim2,
    )
    return result


class DiagonalScatter(torch.nn.Module):
    """`diagonal_scatter` as a module; what is no tensor is fixed."""

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
        src: Tensor,
    ) -> Tensor:
        return diagonal_scatter(
            input,
            src,
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
