"""aten::linalg_solve: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, B: Any, left: Any) -> Any:
    """aten::linalg_solve in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(A)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2]
    shape_2 = op.Shape(A)
    outer = op.Slice(
        shape_2,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    index = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, A)
    if left:
        swapped = op.Identity(A)
    else:
        swapped = op.Transpose(A, perm=turned)
    matrix = op.Identity(swapped)
    may_be_vector = 1 < op.rank(B) and op.rank(B) == op.rank(A) - 1 and left
    perm = list(range(max(op.rank(B), 2) - 2)) + [max(op.rank(B), 2) - 1, max(op.rank(B), 2) - 2]
    is_vector = op.Constant(value_int=1)
    if may_be_vector:
        shape_3 = op.Shape(B)
        shape_4 = op.Shape(A)
        slice = op.Slice(
            shape_4,
            op.constant([0], like="INT64"),
            op.constant([-1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        same = op.Equal(shape_3, slice)
        cast = op.Cast(same, to=7)
        reduce_min = op.ReduceMin(cast, keepdims=0)
        is_vector_2 = op.Equal(reduce_min, op.constant(1, like="INT64"))

        def then_branch() -> Any:
            return op.Unsqueeze(B, op.constant([-1], like="INT64"))

        def else_branch() -> Any:
            return op.Unsqueeze(B, op.constant([0], like="INT64"))

        right = op.If(is_vector_2, then_branch=then_branch, else_branch=else_branch)
        is_vector_3, right_5 = is_vector_2, right
    else:
        if op.rank(B) == 1:
            right_4 = op.Unsqueeze(B, op.constant([-1], like="INT64"))
        else:
            if left:
                right_3 = op.Identity(B)
            else:
                right_3 = op.Transpose(B, perm=perm)
            right_4 = right_3
        is_vector_3, right_5 = is_vector, right_4
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(cast_like, concat)
    right_6 = op.Add(right_5, zeros)

    def step(k: Any, keep: Any, matrix_2: Any, right_7: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(matrix_2, at, axis=-1)
        abs = op.Abs(gather)
        candidates = op.Where(less, op.constant(-1.0, like=A), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, A)
        here = op.Gather(eye, at, axis=-1)
        swap = op.Sub(here, chosen)
        turn = op.Transpose(swap, perm=turned)
        mat_mul = op.MatMul(turn, matrix_2)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        matrix_3 = op.Sub(matrix_2, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, right_7)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_8 = op.Sub(right_7, mat_mul_4)
        line = op.Gather(matrix_3, at, axis=-2)
        other = op.Gather(right_8, at, axis=-2)
        pivot = op.Gather(line, at, axis=-1)
        gather_2 = op.Gather(matrix_3, at, axis=-1)
        sub = op.Sub(gather_2, here)
        factor = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(factor, line)
        matrix_4 = op.Sub(matrix_3, mat_mul_5)
        mat_mul_6 = op.MatMul(factor, other)
        right_9 = op.Sub(right_8, mat_mul_6)
        keep_2 = op.Identity(keep)
        return keep_2, matrix_4, right_9

    _value, right_10 = op.Loop(
        n,
        op.constant(True, like="BOOL"),
        matrix,
        right_6,
        body=step,
        _outputs=2,
    )
    if op.rank(B) == 1:
        result_5 = op.Squeeze(right_10, op.constant([-1], like="INT64"))
    else:
        if may_be_vector:
            vector = op.Gather(right_10, op.constant(0, like="INT64"), axis=-1)

            def then_branch_2() -> Any:
                return op.Identity(vector)

            def else_branch_2() -> Any:
                return op.Identity(right_10)

            result_4 = op.If(is_vector_3, then_branch=then_branch_2, else_branch=else_branch_2)
        else:
            if left:
                result_3 = right_10
            else:
                result_3 = op.Transpose(right_10, perm=perm)
            result_4 = result_3
        result_5 = result_4
    return result_5


OP = _onnxop.Operator(
    name="aten::linalg_solve.default",
    existing="aten::linalg_solve.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_solve",
    doc="The operator aten::linalg_solve.",
    spec="sha256:620460d5b1d6c8c8035c7b447f30084c2812f804e8f22b27c3165db68f310aa0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_solve.default


@_onnxop.script.scripted(OP)
def linalg_solve(
    A: Tensor,
    B: Tensor,
    *,
    left: bool = True,
) -> Tensor:
    """The operator aten::linalg_solve.

    Args:
        A: a tensor.
        B: a tensor.
        left: a boolean; True by default.

    Returns:
        What PyTorch's aten::linalg_solve returns.
    """
    result: Tensor = _operator(
        A,
        B,
        left=left,
    )
    return result


class LinalgSolve(torch.nn.Module):
    """`linalg_solve` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        left: bool = True,
    ) -> None:
        super().__init__()
        self.left = left

    def forward(
        self,
        A: Tensor,
        B: Tensor,
    ) -> Tensor:
        return linalg_solve(
            A,
            B,
            left=self.left,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"left={self.left}",
            ]
        )
