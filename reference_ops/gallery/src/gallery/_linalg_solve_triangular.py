"""aten::linalg_solve_triangular: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    B: Any,
    upper: Any,
    left: Any,
    unitriangular: Any,
) -> Any:
    """aten::linalg_solve_triangular in ONNX; `op` writes the nodes for the exporter that asks."""
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(self, -1), like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    if left:
        used = op.Identity(self)
    else:
        used = op.Transpose(
            self,
            perm=list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2],
        )
    if upper == left:
        is_low = op.Greater(column, index)
    else:
        is_low = op.Less(column, index)
    matrix = op.Where(is_low, op.constant(0.0, like=self), used)
    if unitriangular:
        equal_2 = op.Equal(column, index)
        matrix_3 = op.Where(equal_2, op.constant(1.0, like=self), matrix)
    else:
        matrix_3 = matrix
    if left:
        right = op.Identity(B)
    else:
        right = op.Transpose(B, perm=list(range(op.rank(B) - 2)) + [op.rank(B) - 1, op.rank(B) - 2])
    matrix_4, right_2 = matrix_3, right
    for k in range(op.size(self, -1)):
        less_2 = op.Less(column, op.constant(k, like="INT64"))
        slice = op.Slice(
            matrix_4,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        abs = op.Abs(slice)
        candidates = op.Where(less_2, op.constant(-1.0, like=self), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_3 = op.Equal(column, place)
        chosen = op.CastLike(equal_3, self)
        here = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        swap = op.Sub(here, chosen)
        turn = op.Transpose(
            swap,
            perm=list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2],
        )
        mat_mul = op.MatMul(turn, matrix_4)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        matrix_5 = op.Sub(matrix_4, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, right_2)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_3 = op.Sub(right_2, mat_mul_4)
        line = op.Slice(
            matrix_5,
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
            matrix_5,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        sub = op.Sub(slice_2, here)
        factor = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(factor, line)
        matrix_6 = op.Sub(matrix_5, mat_mul_5)
        mat_mul_6 = op.MatMul(factor, other)
        right_4 = op.Sub(right_3, mat_mul_6)
        matrix_4, right_2 = matrix_6, right_4
    if left:
        result_2 = right_2
    else:
        result_2 = op.Transpose(
            right_2,
            perm=list(range(op.rank(B) - 2)) + [op.rank(B) - 1, op.rank(B) - 2],
        )
    return result_2


OP = _onnxop.Operator(
    name="aten::linalg_solve_triangular.default",
    existing="aten::linalg_solve_triangular.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_solve_triangular",
    doc="The operator aten::linalg_solve_triangular.",
    spec="sha256:a73a34aa60825ba880866cd19929394bdbb492a9a94e65e51a4fc0dcc5401c8e",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_solve_triangular.default


@_onnxop.script.scripted(OP)
def linalg_solve_triangular(
    self: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Tensor:
    """The operator aten::linalg_solve_triangular.

    Args:
        self: a tensor.
        B: a tensor.
        upper: a boolean.
        left: a boolean; True by default.
        unitriangular: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_solve_triangular returns.
    """
    result: Tensor = _operator(
        self,
        B,
        upper=upper,
        left=left,
        unitriangular=unitriangular,
    )
    return result


class LinalgSolveTriangular(torch.nn.Module):
    """`linalg_solve_triangular` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        upper: bool,
        left: bool = True,
        unitriangular: bool = False,
    ) -> None:
        super().__init__()
        self.upper = upper
        self.left = left
        self.unitriangular = unitriangular

    def forward(
        self,
        input: Tensor,
        B: Tensor,
    ) -> Tensor:
        return linalg_solve_triangular(
            input,
            B,
            upper=self.upper,
            left=self.left,
            unitriangular=self.unitriangular,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"upper={self.upper}",
                f"left={self.left}",
                f"unitriangular={self.unitriangular}",
            ]
        )
