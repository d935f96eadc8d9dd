"""aten::_lu_with_info: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, pivot: Any, check_errors: Any) -> Any:
    """aten::_lu_with_info in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape_2 = op.Shape(self)
    m = op.Gather(shape_2, op.constant(-2, like="INT64"))
    shape_3 = op.Shape(self)
    n = op.Gather(shape_3, op.constant(-1, like="INT64"))
    short = op.Min(m, n)
    turned = list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2]
    across = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    range_2 = op.Range(op.constant(0, like="INT64"), m, op.constant(1, like="INT64"))
    column = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
    range_3 = op.Range(op.constant(0, like="INT64"), m, op.constant(1, like="INT64"))
    equal = op.Equal(column, range_3)
    eye = op.CastLike(equal, self)
    steps = op.Range(op.constant(0, like="INT64"), short, op.constant(1, like="INT64"))
    cast_like = op.CastLike(op.constant(0, like="INT64"), steps)
    shape_4 = op.Shape(steps)
    concat = op.Concat(outer, shape_4, axis=0)
    pivots = op.Expand(cast_like, concat)
    constant_2 = op.Constant(value_int=0)
    concat_2 = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    info = op.Expand(constant_2, concat_2)
    size = op.Size(self)
    min = op.Min(short, size)

    def step(k: Any, keep: Any, lu: Any, pivots_2: Any, info_2: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(lu, at, axis=-1)
        abs = op.Abs(gather)
        candidates = op.Where(less, op.constant(-1.0, like=self), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(steps, k)
        squeeze = op.Squeeze(place, op.constant([-1], like="INT64"))
        add = op.Add(squeeze, op.constant(1, like="INT64"))
        pivots_3 = op.Where(equal_2, add, pivots_2)
        gather_2 = op.Gather(eye, at, axis=-1)
        equal_3 = op.Equal(column, place)
        cast_like_2 = op.CastLike(equal_3, self)
        swap = op.Sub(gather_2, cast_like_2)
        turn = op.Transpose(swap, perm=turned)
        mat_mul = op.MatMul(turn, lu)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        lu_2 = op.Sub(lu, mat_mul_2)
        line = op.Gather(lu_2, at, axis=-2)
        head = op.Gather(line, at, axis=-1)
        equal_4 = op.Equal(info_2, op.constant(0, like="INT64"))
        equal_5 = op.Equal(head, op.constant(0.0, like=self))
        and_2 = op.And(equal_4, equal_5)
        add_2 = op.Add(k, op.constant(1, like="INT64"))
        info_3 = op.Where(and_2, add_2, info_2)
        greater = op.Greater(column, k)
        gather_3 = op.Gather(lu_2, at, axis=-1)
        old = op.Where(greater, gather_3, op.constant(0.0, like=self))
        equal_6 = op.Equal(head, op.constant(0.0, like=self))
        where = op.Where(equal_6, op.constant(1.0, like=self), head)
        below = op.Div(old, where)
        greater_2 = op.Greater(across, k)
        where_2 = op.Where(greater_2, line, op.constant(0.0, like=self))
        mat_mul_3 = op.MatMul(below, where_2)
        lu_3 = op.Sub(lu_2, mat_mul_3)
        equal_7 = op.Equal(across, k)
        cast_like_3 = op.CastLike(equal_7, self)
        sub = op.Sub(old, below)
        mul = op.Mul(cast_like_3, sub)
        lu_4 = op.Sub(lu_3, mul)
        keep_2 = op.Identity(keep)
        return keep_2, lu_4, pivots_3, info_3

    lu_5, pivots_4, info_4 = op.Loop(
        min,
        op.constant(True, like="BOOL"),
        self,
        pivots,
        info,
        body=step,
        _outputs=3,
    )
    pivots_5 = op.Cast(pivots_4, to=6)
    reshape = op.Reshape(info_4, outer, allowzero=1)
    info_5 = op.Cast(reshape, to=6)
    return lu_5, pivots_5, info_5


OP = _onnxop.Operator(
    name="aten::_lu_with_info.default",
    called="lu_with_info",
    existing="aten::_lu_with_info.default",
    results=[
        "LU",
        "pivots",
        "info",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="lu_with_info",
    doc="The operator aten::_lu_with_info.",
    spec="sha256:c30ddb92b353908af2937b103f36b0d8d3d3fe863773304002cb19c1c94a788f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._lu_with_info.default


@_onnxop.script.scripted(OP)
def lu_with_info(
    self: Tensor,
    pivot: bool = True,
    check_errors: bool = True,
) -> tuple[Tensor, Tensor, Tensor]:
    """The operator aten::_lu_with_info.

    Args:
        self: a tensor.
        pivot: a boolean; True by default.
        check_errors: a boolean; True by default.

    Returns:
        What PyTorch's aten::_lu_with_info returns.
    """
    result: tuple[Tensor, Tensor, Tensor] = _operator(
        self,
        pivot,
        check_errors,
    )
    return result


class LuWithInfo(torch.nn.Module):
    """`lu_with_info` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        pivot: bool = True,
        check_errors: bool = True,
    ) -> None:
        super().__init__()
        self.pivot = pivot
        self.check_errors = check_errors

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        return lu_with_info(
            input,
            self.pivot,
            self.check_errors,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"pivot={self.pivot}",
                f"check_errors={self.check_errors}",
            ]
        )
