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
    shape = op.Shape(self)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2]
    shape_2 = op.Shape(self)
    outer = op.Slice(
        shape_2,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    index = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    if left:
        used = op.Identity(self)
    else:
        used = op.Transpose(self, perm=turned)
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
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), self)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(cast_like, concat)
    right_2 = op.Add(right, zeros)

    def step(k: Any, keep: Any, matrix_4: Any, right_3: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less_2 = op.Less(column, k)
        gather = op.Gather(matrix_4, at, axis=-1)
        abs = op.Abs(gather)
        candidates = op.Where(less_2, op.constant(-1.0, like=self), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_3 = op.Equal(column, place)
        chosen = op.CastLike(equal_3, self)
        here = op.Gather(eye, at, axis=-1)
        swap = op.Sub(here, chosen)
        turn = op.Transpose(swap, perm=turned)
        mat_mul = op.MatMul(turn, matrix_4)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        matrix_5 = op.Sub(matrix_4, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, right_3)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_4 = op.Sub(right_3, mat_mul_4)
        line = op.Gather(matrix_5, at, axis=-2)
        other = op.Gather(right_4, at, axis=-2)
        pivot = op.Gather(line, at, axis=-1)
        gather_2 = op.Gather(matrix_5, at, axis=-1)
        sub = op.Sub(gather_2, here)
        factor = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(factor, line)
        matrix_6 = op.Sub(matrix_5, mat_mul_5)
        mat_mul_6 = op.MatMul(factor, other)
        right_5 = op.Sub(right_4, mat_mul_6)
        keep_2 = op.Identity(keep)
        return keep_2, matrix_6, right_5

    _value, right_6 = op.Loop(
        n,
        op.constant(True, like="BOOL"),
        matrix_3,
        right_2,
        body=step,
        _outputs=2,
    )
    if left:
        result_2 = right_6
    else:
        result_2 = op.Transpose(
            right_6,
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
    spec="sha256:38aa254c032dc19cda16e010909d28d1abcca488626d748fa9e4f0cd5c128ac9",
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
