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
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(LU, -1), like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, LU)
    swapped = list(range(op.rank(LU) - 2)) + [op.rank(LU) - 1, op.rank(LU) - 2]
    shape = op.Shape(LU)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    concat = op.Concat(outer, op.constant([op.size(LU, -1), op.size(LU, -1)], like="INT64"), axis=0)
    order = op.Expand(eye, concat)
    order_2 = order
    for k in range(op.size(LU, -1)):
        slice = op.Slice(
            pivots,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        cast = op.Cast(slice, to=7)
        sub = op.Sub(cast, op.constant(1, like="INT64"))
        place = op.Unsqueeze(sub, op.constant([-2], like="INT64"))
        slice_2 = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        equal_2 = op.Equal(column, place)
        cast_like = op.CastLike(equal_2, LU)
        swap = op.Sub(slice_2, cast_like)
        transpose = op.Transpose(swap, perm=swapped)
        mat_mul = op.MatMul(transpose, order_2)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        order_3 = op.Sub(order_2, mat_mul_2)
        order_2 = order_3
    if adjoint == left:
        factors = op.Transpose(LU, perm=swapped)
    else:
        factors = op.Identity(LU)
    if left:
        right = op.Identity(B)
    else:
        right = op.Transpose(B, perm=list(range(op.rank(B) - 2)) + [op.rank(B) - 1, op.rank(B) - 2])
    if not adjoint == left:
        right_3 = op.MatMul(order_2, right)
    else:
        right_3 = right
    equal_3 = op.Equal(column, index)
    where = op.Where(equal_3, LU, op.constant(0.0, like=LU))
    diagonal = op.ReduceSum(where, op.constant([-1], like="INT64"), keepdims=1)
    diagonal_2 = op.Slice(
        diagonal,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    greater = op.Greater(column, index)
    below = op.Where(greater, factors, op.constant(0.0, like=LU))
    less = op.Less(column, index)
    above = op.Where(less, factors, op.constant(0.0, like=LU))
    right_4 = right_3
    for k_2 in range(op.size(LU, -1)):
        line = op.Slice(
            right_4,
            op.constant([k_2], like="INT64"),
            op.constant([k_2 + 1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        if adjoint == left:
            slice_3 = op.Slice(
                diagonal_2,
                op.constant([k_2], like="INT64"),
                op.constant([k_2 + 1], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            line_3 = op.Div(line, slice_3)
        else:
            line_3 = line
        factor = op.Slice(
            below,
            op.constant([k_2], like="INT64"),
            op.constant([k_2 + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        is_here = op.Equal(column, op.constant(k_2, like="INT64"))
        where_2 = op.Where(is_here, line_3, right_4)
        mat_mul_3 = op.MatMul(factor, line_3)
        right_5 = op.Sub(where_2, mat_mul_3)
        right_4 = right_5
    right_6 = right_4
    for j in range(op.size(LU, -1)):
        line_4 = op.Slice(
            right_6,
            op.constant([op.size(LU, -1) - 1 - j], like="INT64"),
            op.constant([op.size(LU, -1) - 1 - j + 1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        if not adjoint == left:
            slice_4 = op.Slice(
                diagonal_2,
                op.constant([op.size(LU, -1) - 1 - j], like="INT64"),
                op.constant([op.size(LU, -1) - 1 - j + 1], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            line_6 = op.Div(line_4, slice_4)
        else:
            line_6 = line_4
        factor_2 = op.Slice(
            above,
            op.constant([op.size(LU, -1) - 1 - j], like="INT64"),
            op.constant([op.size(LU, -1) - 1 - j + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        is_here_2 = op.Equal(column, op.constant(op.size(LU, -1) - 1 - j, like="INT64"))
        where_3 = op.Where(is_here_2, line_6, right_6)
        mat_mul_4 = op.MatMul(factor_2, line_6)
        right_7 = op.Sub(where_3, mat_mul_4)
        right_6 = right_7
    if adjoint == left:
        transpose_4 = op.Transpose(order_2, perm=swapped)
        right_9 = op.MatMul(transpose_4, right_6)
    else:
        right_9 = right_6
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
    spec="sha256:63045c8ffc478a491bbed02a63ab69d4af4a81aeb3bb86daa7ea090940eda3a5",
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
