"""aten::scatter_reduce: its rule in ONNX, and the function and module that call it."""

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
    src: Any,
    reduce: Any,
    include_self: Any,
) -> Any:
    """aten::scatter_reduce in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        x = op.Reshape(self, op.constant([1], like="INT64"))
        y = op.Reshape(src, op.constant([1], like="INT64"))
        places = op.Reshape(index, op.constant([1], like="INT64"))
        x_3, y_3, places_3 = x, y, places
    else:
        x_2 = op.Identity(self)
        shape = op.Shape(index)
        y_2 = op.Slice(
            src,
            op.constant([0] * op.rank(self), like="INT64"),
            shape,
            op.constant(list(range(op.rank(self))), like="INT64"),
        )
        places_2 = op.Identity(index)
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
            if reduce == "sum" or reduce == "mean":
                cast_like_2 = op.CastLike(op.constant(0, like="INT64"), x_3)
                shape_3 = op.Shape(y_3)
                expand_2 = op.Expand(cast_like_2, shape_3)
                start_5 = op.ScatterElements(x_3, places_3, expand_2, axis=dim)
            else:
                start_5 = op.ScatterElements(x_3, places_3, y_3, axis=dim)
            start_6 = start_5
        start_7 = start_6
    if reduce == "prod":
        found_11 = op.ScatterElements(start_7, places_3, y_3, axis=dim, reduction="mul")
    else:
        if reduce == "sum":
            found_10 = op.ScatterElements(start_7, places_3, y_3, axis=dim, reduction="add")
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
                counts_4 = op.ScatterElements(
                    counts_3,
                    places_3,
                    expand_4,
                    axis=dim,
                    reduction="add",
                )
                total = op.ScatterElements(start_7, places_3, y_3, axis=dim, reduction="add")
                found_3 = op.Div(total, counts_4)
                cast_like_4 = op.CastLike(op.constant(0.5, like="FLOAT"), x_3)
                equal = op.Equal(cast_like_4, op.constant(0, like=self))
                mul = op.Mul(found_3, counts_4)
                greater = op.Greater(mul, total)
                is_rounded = op.And(equal, greater)
                sub = op.Sub(found_3, op.constant(1, like=self))
                found_9 = op.Where(is_rounded, sub, found_3)
            else:
                equal_2 = op.Equal(start_7, start_7)
                is_old_nan = op.Not(equal_2)
                equal_3 = op.Equal(y_3, y_3)
                is_new_nan = op.Not(equal_3)
                old = op.Where(is_old_nan, op.constant(0, like=self), start_7)
                new = op.Where(is_new_nan, op.constant(0, like=src), y_3)
                if reduce == "amax":
                    found_7 = op.ScatterElements(old, places_3, new, axis=dim, reduction="max")
                else:
                    found_7 = op.ScatterElements(old, places_3, new, axis=dim, reduction="min")
                nan = op.Where(is_old_nan, start_7, op.constant(0, like=self))
                where = op.Where(is_new_nan, y_3, op.constant(0, like=src))
                nan_2 = op.ScatterElements(nan, places_3, where, axis=dim, reduction="add")
                equal_4 = op.Equal(nan_2, op.constant(0, like=self))
                found_9 = op.Where(equal_4, found_7, nan_2)
            found_10 = found_9
        found_11 = found_10
    if op.rank(self) == 0:
        result = op.Reshape(found_11, op.constant([], like="INT64"))
    else:
        result = found_11
    return result


OP = _onnxop.Operator(
    name="aten::scatter_reduce.two",
    existing="aten::scatter_reduce.two",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="scatter_reduce",
    doc="The operator aten::scatter_reduce.",
    spec="sha256:23cc50a1fbb47c326c73efad5afae230edca26093399b3b5f21a664016529ade",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.scatter_reduce.two


@_onnxop.script.scripted(OP)
def scatter_reduce(
    self: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """The operator aten::scatter_reduce.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        src: a tensor.
        reduce: a string.
        include_self: a boolean; True by default.

    Returns:
        What PyTorch's aten::scatter_reduce returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        src,
        reduce,
        include_self=include_self,
    )
    return result


class ScatterReduce(torch.nn.Module):
    """`scatter_reduce` as a module; what is no tensor is fixed."""

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
        src: Tensor,
    ) -> Tensor:
        return scatter_reduce(
            input,
            self.dim,
            index,
            src,
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
