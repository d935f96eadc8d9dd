"""aten::linalg_lu_solve: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    LU: Any,
    pivots: Any,
    B: Any,
    left: Any,
    adjoint: Any,
) -> Any:
    """aten::linalg_lu_solve in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(LU)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    index = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, LU)
    swapped = list(range(op.rank(LU) - 2)) + [op.rank(LU) - 1, op.rank(LU) - 2]
    shape_2 = op.Shape(LU)
    outer = op.Slice(
        shape_2,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), LU)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(cast_like, concat)
    order = op.Add(eye, zeros)

    def exchange(k: Any, keep: Any, order_2: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        gather = op.Gather(pivots, at, axis=-1)
        cast = op.Cast(gather, to=7)
        sub = op.Sub(cast, op.constant(1, like="INT64"))
        place = op.Unsqueeze(sub, op.constant([-2], like="INT64"))
        gather_2 = op.Gather(eye, at, axis=-1)
        equal_2 = op.Equal(column, place)
        cast_like_2 = op.CastLike(equal_2, LU)
        swap = op.Sub(gather_2, cast_like_2)
        transpose = op.Transpose(swap, perm=swapped)
        mat_mul = op.MatMul(transpose, order_2)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        sub_2 = op.Sub(order_2, mat_mul_2)
        keep_2 = op.Identity(keep)
        return keep_2, sub_2

    order_3 = op.Loop(n, op.constant(True, like="BOOL"), order, body=exchange)
    if adjoint == left:
        factors = op.Transpose(LU, perm=swapped)
    else:
        factors = op.Identity(LU)
    if left:
        right = op.Identity(B)
    else:
        right = op.Transpose(B, perm=list(range(op.rank(B) - 2)) + [op.rank(B) - 1, op.rank(B) - 2])
    right_2 = op.Add(right, zeros)
    if not adjoint == left:
        right_4 = op.MatMul(order_3, right_2)
    else:
        right_4 = right_2
    equal_3 = op.Equal(column, index)
    where = op.Where(equal_3, LU, op.constant(0.0, like=LU))
    diagonal = op.ReduceSum(where, op.constant([-1], like="INT64"), keepdims=1)
    diagonal_2 = op.Slice(
        diagonal,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    equal_4 = op.Equal(diagonal_2, diagonal_2)
    ones = op.CastLike(equal_4, LU)
    greater = op.Greater(column, index)
    below = op.Where(greater, factors, op.constant(0.0, like=LU))
    less = op.Less(column, index)
    above = op.Where(less, factors, op.constant(0.0, like=LU))

    def down(k_2: Any, keep_3: Any, right_5: Any) -> Any:
        at_2 = op.Unsqueeze(k_2, op.constant([0], like="INT64"))
        gather_3 = op.Gather(right_5, at_2, axis=-2)
        gather_4 = op.Gather(diagonal_2 if adjoint == left else ones, at_2, axis=-2)
        line = op.Div(gather_3, gather_4)
        equal_5 = op.Equal(column, k_2)
        where_2 = op.Where(equal_5, line, right_5)
        gather_5 = op.Gather(below, at_2, axis=-1)
        mat_mul_3 = op.MatMul(gather_5, line)
        sub_3 = op.Sub(where_2, mat_mul_3)
        keep_4 = op.Identity(keep_3)
        return keep_4, sub_3

    loop = op.Loop(n, op.constant(True, like="BOOL"), right_4, body=down)

    def up(j: Any, keep_5: Any, right_6: Any) -> Any:
        sub_4 = op.Sub(n, op.constant(1, like="INT64"))
        k_3 = op.Sub(sub_4, j)
        at_3 = op.Unsqueeze(k_3, op.constant([0], like="INT64"))
        gather_6 = op.Gather(right_6, at_3, axis=-2)
        gather_7 = op.Gather(ones if adjoint == left else diagonal_2, at_3, axis=-2)
        line_2 = op.Div(gather_6, gather_7)
        equal_6 = op.Equal(column, k_3)
        where_3 = op.Where(equal_6, line_2, right_6)
        gather_8 = op.Gather(above, at_3, axis=-1)
        mat_mul_4 = op.MatMul(gather_8, line_2)
        sub_5 = op.Sub(where_3, mat_mul_4)
        keep_6 = op.Identity(keep_5)
        return keep_6, sub_5

    right_7 = op.Loop(n, op.constant(True, like="BOOL"), loop, body=up)
    if adjoint == left:
        transpose_4 = op.Transpose(order_3, perm=swapped)
        right_9 = op.MatMul(transpose_4, right_7)
    else:
        right_9 = right_7
    if left:
        result = op.Identity(right_9)
    else:
        result = op.Transpose(
            right_9,
            perm=list(range(op.rank(B) - 2)) + [op.rank(B) - 1, op.rank(B) - 2],
        )
    return result


OP = _onnxop.Operator(
    name="aten::linalg_lu_solve.default",
    existing="aten::linalg_lu_solve.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_lu_solve",
    doc="The operator aten::linalg_lu_solve.",
    spec="sha256:e95a0a8a6c762982ef784d5d42df67166017e3a225ebd1c9ce00d7344c281a7c",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_lu_solve.default


@_onnxop.script.scripted(OP)
def linalg_lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    adjoint: bool = False,
) -> Tensor:
    """The operator aten::linalg_lu_solve.

    Args:
        LU: a tensor.
        pivots: a tensor.
        B: a tensor.
        left: a boolean; True by default.
        adjoint: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_lu_solve returns.
    """
    result: Tensor = _operator(
        LU,
        pivots,
        B,
        left=left,
        adjoint=adjoint,
    )
    return result


class LinalgLuSolve(torch.nn.Module):
    """`linalg_lu_solve` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        left: bool = True,
        adjoint: bool = False,
    ) -> None:
        super().__init__()
        self.left = left
        self.adjoint = adjoint

    def forward(
        self,
        LU: Tensor,
        pivots: Tensor,
        B: Tensor,
    ) -> Tensor:
        return linalg_lu_solve(
            LU,
            pivots,
            B,
            left=self.left,
            adjoint=self.adjoint,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"left={self.left}",
                f"adjoint={self.adjoint}",
            ]
        )
