"""aten::diag: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, diagonal: Any) -> Any:
    """aten::diag in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 1:
        line = op.Identity(self)
        if diagonal != 0:
            cast_like = op.CastLike(op.constant(0, like="INT64"), self)
            nothing = op.Expand(cast_like, op.constant([abs(diagonal)], like="INT64"))
            if diagonal > 0:
                line_2 = op.Concat(self, nothing, axis=0)
            else:
                line_2 = op.Concat(nothing, self, axis=0)
            line_3 = line_2
        else:
            line_3 = line
        shape = op.Shape(line_3)
        gather = op.Gather(shape, op.constant(0, like="INT64"))
        index = op.Range(op.constant(0, like="INT64"), gather, op.constant(1, like="INT64"))
        row = op.Unsqueeze(index, op.constant([1], like="INT64"))
        sub = op.Sub(index, row)
        equal = op.Equal(sub, op.constant(diagonal, like="INT64"))
        unsqueeze = op.Unsqueeze(line_3, op.constant([1], like="INT64"))
        cast_like_2 = op.CastLike(op.constant(0, like="INT64"), self)
        result_3 = op.Where(equal, unsqueeze, cast_like_2)
    else:
        shape_2 = op.Shape(self)
        gather_2 = op.Gather(shape_2, op.constant(0, like="INT64"))
        height = op.Sub(gather_2, op.constant(max(-diagonal, 0), like="INT64"))
        shape_3 = op.Shape(self)
        width = op.Gather(shape_3, op.constant(1, like="INT64"))
        sub_2 = op.Sub(width, op.constant(max(diagonal, 0), like="INT64"))
        min = op.Min(height, sub_2)
        max_2 = op.Max(min, op.constant(0, like="INT64"))
        index_2 = op.Range(op.constant(0, like="INT64"), max_2, op.constant(1, like="INT64"))
        reshape = op.Reshape(self, op.constant([-1], like="INT64"))
        add = op.Add(index_2, op.constant(max(-diagonal, 0), like="INT64"))
        mul = op.Mul(add, width)
        add_2 = op.Add(mul, index_2)
        add_3 = op.Add(add_2, op.constant(max(diagonal, 0), like="INT64"))
        result_3 = op.Gather(reshape, add_3)
    return result_3


OP = _onnxop.Operator(
    name="aten::diag.default",
    existing="aten::diag.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="diag",
    doc="The operator aten::diag.",
    spec="sha256:77776cd1c7a55f1addca82937087b98a2c34b3e0b3518c370173dc7c4ff5138f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.diag.default


@_onnxop.script.scripted(OP)
def diag(
    self: Tensor,
    diagonal: int = 0,
) -> Tensor:
    """The operator aten::diag.

    Args:
        self: a tensor.
        diagonal: an integer; 0 by default.

    Returns:
        What PyTorch's aten::diag returns.
    """
    result: Tensor = _operator(
        self,
        diagonal,
    )
    return result


class Diag(torch.nn.Module):
    """`diag` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        diagonal: int = 0,
    ) -> None:
        super().__init__()
        self.diagonal = diagonal

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return diag(
            input,
            self.diagonal,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"diagonal={self.diagonal}",
            ]
        )
