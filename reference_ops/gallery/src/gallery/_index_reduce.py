"""aten::index_reduce: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    dim: Any,
    index: Any,
    source: Any,
    reduce: Any,
    include_self: Any,
) -> Any:
    """aten::index_reduce in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        x = op.Reshape(self, op.constant([1], like="INT64"))
        y = op.Reshape(source, op.constant([1], like="INT64"))
        places = op.Reshape(index, op.constant([1], like="INT64"))
        x_3, y_3, places_3 = x, y, places
    else:
        x_2 = op.Identity(self)
        y_2 = op.Identity(source)
        reshape = op.Reshape(
            index,
            op.constant([-1 if d == dim % max(op.rank(self), 1) else 1 for d in range(op.rank(self))], like="INT64"),
        )  # fmt: skip
        shape = op.Shape(source)
        places_2 = op.Expand(reshape, shape)
        x_3, y_3, places_3 = x_2, y_2, places_2
    if include_self:
        start_7 = op.Identity(x_3)
    else:
        if reduce == "prod":
            cast_like = op.CastLike(op.constant(1, like="INT64"), x_3)
            shape_2 = op.Shape(y_3)
            expand = op.Expand(cast_like, shape_2)
            start_6 = op.ScatterElements(x_3, places_3, expand, axis=dim)
        else:
            if reduce == "mean":
                cast_like_2 = op.CastLike(op.constant(0, like="INT64"), x_3)
                shape_3 = op.Shape(y_3)
                expand_2 = op.Expand(cast_like_2, shape_3)
                start_5 = op.ScatterElements(x_3, places_3, expand_2, axis=dim)
            else:
                start_5 = op.ScatterElements(x_3, places_3, y_3, axis=dim)
            start_6 = start_5
        start_7 = start_6
    if reduce == "prod":
        found_9 = op.ScatterElements(start_7, places_3, y_3, axis=dim, reduction="mul")
    else:
        if reduce == "mean":
            one = op.CastLike(op.constant(1, like="INT64"), x_3)
            shape_4 = op.Shape(x_3)
            ones = op.Expand(one, shape_4)
            if include_self:
                counts_3 = op.Identity(ones)
            else:
                cast_like_3 = op.CastLike(op.constant(0, like="INT64"), x_3)
                shape_5 = op.Shape(y_3)
                expand_3 = op.Expand(cast_like_3, shape_5)
                counts_3 = op.ScatterElements(ones, places_3, expand_3, axis=dim)
            shape_6 = op.Shape(y_3)
            expand_4 = op.Expand(one, shape_6)
            counts_4 = op.ScatterElements(counts_3, places_3, expand_4, axis=dim, reduction="add")
            total = op.ScatterElements(start_7, places_3, y_3, axis=dim, reduction="add")
            found_2 = op.Div(total, counts_4)
            cast_like_4 = op.CastLike(op.constant(0.5, like="FLOAT"), x_3)
            equal = op.Equal(cast_like_4, op.constant(0, like=self))
            mul = op.Mul(found_2, counts_4)
            greater = op.Greater(mul, total)
            is_rounded = op.And(equal, greater)
            sub = op.Sub(found_2, op.constant(1, like=self))
            found_8 = op.Where(is_rounded, sub, found_2)
        else:
            equal_2 = op.Equal(start_7, start_7)
            is_old_nan = op.Not(equal_2)
            equal_3 = op.Equal(y_3, y_3)
            is_new_nan = op.Not(equal_3)
            old = op.Where(is_old_nan, op.constant(0, like=self), start_7)
            new = op.Where(is_new_nan, op.constant(0, like=source), y_3)
            if reduce == "amax":
                found_6 = op.ScatterElements(old, places_3, new, axis=dim, reduction="max")
            else:
                found_6 = op.ScatterElements(old, places_3, new, axis=dim, reduction="min")
            nan = op.Where(is_old_nan, start_7, op.constant(0, like=self))
            where = op.Where(is_new_nan, y_3, op.constant(0, like=source))
            nan_2 = op.ScatterElements(nan, places_3, where, axis=dim, reduction="add")
            equal_4 = op.Equal(nan_2, op.constant(0, like=self))
            found_8 = op.Where(equal_4, found_6, nan_2)
        found_9 = found_8
    if op.rank(self) == 0:
        result = op.Reshape(found_9, op.constant([], like="INT64"))
    else:
        result = found_9
    return result


OP = _onnxop.Operator(
    name="aten::index_reduce.default",
    existing="aten::index_reduce.default",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="index_reduce",
    doc="The operator aten::index_reduce.",
    spec="sha256:d1681029910ecca709c5ad751d5c930ac737437c01bcc622eb078729e8f0a133",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.index_reduce.default


@_onnxop.script.scripted(OP)
def index_reduce(
    self: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """The operator aten::index_reduce.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        source: a tensor.
        reduce: a string.
        include_self: a boolean; True by default.

    Returns:
        What PyTorch's aten::index_reduce returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        source,
        reduce,
        include_self=include_self,
    )
    return result


class IndexReduce(torch.nn.Module):
    """`index_reduce` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        reduce: str,
        *,
        include_self: bool = True,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.reduce = reduce
        self.include_self = include_self

    def forward(
        self,
        input: Tensor,
        index: Tensor,
        source: Tensor,
    ) -> Tensor:
        return index_reduce(
            input,
            self.dim,
            index,
            source,
            self.reduce,
            include_self=self.include_self,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"reduce={self.reduce}",
                f"include_self={self.include_self}",
            ]
        )
