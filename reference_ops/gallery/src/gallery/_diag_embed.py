"""aten::diag_embed: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, offset: Any, dim1: Any, dim2: Any) -> Any:
    """aten::diag_embed in ONNX; `op` writes the nodes for the exporter that asks."""
    line = op.Identity(self)
    if offset != 0:
        shape = op.Shape(self)
        outer = op.Slice(
            shape,
            op.constant([0], like="INT64"),
            op.constant([-1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        cast_like = op.CastLike(op.constant(0, like="INT64"), self)
        concat = op.Concat(outer, op.constant([abs(offset)], like="INT64"), axis=0)
        nothing = op.Expand(cast_like, concat)
        if offset > 0:
            line_2 = op.Concat(self, nothing, axis=-1)
        else:
            line_2 = op.Concat(nothing, self, axis=-1)
        line_3 = line_2
    else:
        line_3 = line
    shape_2 = op.Shape(line_3)
    gather = op.Gather(shape_2, op.constant(op.rank(self) - 1, like="INT64"))
    index = op.Range(op.constant(0, like="INT64"), gather, op.constant(1, like="INT64"))
    row = op.Reshape(
        index,
        op.constant([-1 if d == dim1 % (op.rank(self) + 1) else 1 for d in range(op.rank(self) + 1)], like="INT64"),
    )  # fmt: skip
    column = op.Reshape(
        index,
        op.constant([-1 if d_2 == dim2 % (op.rank(self) + 1) else 1 for d_2 in range(op.rank(self) + 1)], like="INT64"),
    )  # fmt: skip
    there = [op.rank(self) - 1 if d_3 == dim1 % (op.rank(self) + 1) else op.rank(self) if d_3 == dim2 % (op.rank(self) + 1) else d_3 - (1 if d_3 > dim1 % (op.rank(self) + 1) else 0) - (1 if d_3 > dim2 % (op.rank(self) + 1) else 0) for d_3 in range(op.rank(self) + 1)]  # fmt: skip
    unsqueeze = op.Unsqueeze(line_3, op.constant([-1], like="INT64"))
    line_4 = op.Transpose(unsqueeze, perm=there)
    sub = op.Sub(column, row)
    equal = op.Equal(sub, op.constant(offset, like="INT64"))
    cast_like_2 = op.CastLike(op.constant(0, like="INT64"), self)
    return op.Where(equal, line_4, cast_like_2)


OP = _onnxop.Operator(
    name="aten::diag_embed.default",
    existing="aten::diag_embed.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="diag_embed",
    doc="The operator aten::diag_embed.",
    spec="sha256:1963e6e20f71c07b0040c07793b7275aa96e215810adbde4d89a1aabd17b7f83",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.diag_embed.default


@_onnxop.script.scripted(OP)
def diag_embed(
    self: Tensor,
    offset: int = 0,
    dim1: int = -2,
    dim2: int = -1,
) -> Tensor:
    """The operator aten::diag_embed.

    Args:
        self: a tensor.
        offset: an integer; 0 by default.
        dim1: an integer; -2 by default.
        dim2: an integer; -1 by default.

    Returns:
        What PyTorch's aten::diag_embed returns.
    """
    result: Tensor = _operator(
        self,
        offset,
        dim1,
        dim2,
    )
    return result


class DiagEmbed(torch.nn.Module):
    """`diag_embed` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        offset: int = 0,
        dim1: int = -2,
        dim2: int = -1,
    ) -> None:
        super().__init__()
        self.offset = offset
        self.dim1 = dim1
        self.dim2 = dim2

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return diag_embed(
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
