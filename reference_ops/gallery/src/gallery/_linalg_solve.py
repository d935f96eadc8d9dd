"""aten::linalg_solve: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, B: Any, left: Any) -> Any:
    """aten::linalg_solve in ONNX; `op` writes the nodes for the exporter that asks."""
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(A, -1), like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, A)
    if left:
        swapped = op.Identity(A)
    else:
        swapped = op.Transpose(
            A,
            perm=list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2],
        )
    matrix = op.Identity(swapped)
    is_vector = op.rank(B) == 1 or op.rank(B) == op.rank(A) - 1 and sum([abs(op.size(B, d) - op.size(A, d)) for d in range(min(op.rank(B), op.rank(A)))]) == 0  # fmt: skip
    if is_vector:
        right = op.Unsqueeze(B, op.constant([-1], like="INT64"))
    else:
        if left:
            chosen = op.Identity(B)
        else:
            chosen = op.Transpose(
                B,
                perm=list(range(max(op.rank(B), 2) - 2)) + [max(op.rank(B), 2) - 1, max(op.rank(B), 2) - 2],
            )  # fmt: skip
        right = chosen
    matrix_2, right_2 = matrix, right
    for k in range(op.size(A, -1)):
        less = op.Less(column, op.constant(k, like="INT64"))
        slice = op.Slice(
            matrix_2,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        abs_2 = op.Abs(slice)
        candidates = op.Where(less, op.constant(-1.0, like=A), abs_2)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen_2 = op.CastLike(equal_2, A)
        here = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        swap = op.Sub(here, chosen_2)
        turn = op.Transpose(
            swap,
            perm=list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2],
        )
        mat_mul = op.MatMul(turn, matrix_2)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        matrix_3 = op.Sub(matrix_2, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, right_2)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_3 = op.Sub(right_2, mat_mul_4)
        line = op.Slice(
            matrix_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        other = op.Slice(
            right_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        pivot = op.Slice(
            line,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        slice_2 = op.Slice(
            matrix_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        sub = op.Sub(slice_2, here)
        factor = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(factor, line)
        matrix_4 = op.Sub(matrix_3, mat_mul_5)
        mat_mul_6 = op.MatMul(factor, other)
        right_4 = op.Sub(right_3, mat_mul_6)
        matrix_2, right_2 = matrix_4, right_4
    if is_vector:
        result_4 = op.Squeeze(right_2, op.constant([-1], like="INT64"))
    else:
        if left:
            result_3 = right_2
        else:
            result_3 = op.Transpose(
                right_2,
                perm=list(range(max(op.rank(B), 2) - 2)) + [max(op.rank(B), 2) - 1, max(op.rank(B), 2) - 2],
            )  # fmt: skip
        result_4 = result_3
    return result_4


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
    spec="sha256:d386a9d779750af603d2ff2884d1cc241925450fa0f7d6d98bffb4a38373063a",
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
