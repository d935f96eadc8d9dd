"""aten::triangular_solve: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    A: Any,
    upper: Any,
    transpose: Any,
    unitriangular: Any,
) -> Any:
    """aten::triangular_solve in ONNX; `op` writes the nodes for the exporter that asks."""
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
    if not upper:
        is_low = op.Less(column, index)
    else:
        is_low = op.Greater(column, index)
    used = op.Where(is_low, op.constant(0.0, like=A), A)
    if unitriangular:
        equal_2 = op.Equal(column, index)
        used_3 = op.Where(equal_2, op.constant(1.0, like=A), used)
    else:
        used_3 = used
    if transpose:
        used_5 = op.Transpose(used_3, perm=turned)
    else:
        used_5 = used_3
    left = op.Identity(used_5)
    right = op.Identity(self)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(cast_like, concat)
    right_2 = op.Add(right, zeros)

    def step(k: Any, keep: Any, left_2: Any, right_3: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less_2 = op.Less(column, k)
        gather = op.Gather(left_2, at, axis=-1)
        abs = op.Abs(gather)
        candidates = op.Where(less_2, op.constant(-1.0, like=A), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_3 = op.Equal(column, place)
        chosen = op.CastLike(equal_3, A)
        here = op.Gather(eye, at, axis=-1)
        swap = op.Sub(here, chosen)
        turn = op.Transpose(swap, perm=turned)
        mat_mul = op.MatMul(turn, left_2)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        left_3 = op.Sub(left_2, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, right_3)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_4 = op.Sub(right_3, mat_mul_4)
        line = op.Gather(left_3, at, axis=-2)
        other = op.Gather(right_4, at, axis=-2)
        pivot = op.Gather(line, at, axis=-1)
        gather_2 = op.Gather(left_3, at, axis=-1)
        sub = op.Sub(gather_2, here)
        factor = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(factor, line)
        left_4 = op.Sub(left_3, mat_mul_5)
        mat_mul_6 = op.MatMul(factor, other)
        right_5 = op.Sub(right_4, mat_mul_6)
        keep_2 = op.Identity(keep)
        return keep_2, left_4, right_5

    _value, right_6 = op.Loop(
        n,
        op.constant(True, like="BOOL"),
        left,
        right_2,
        body=step,
        _outputs=2,
    )
    cloned_coefficient = op.Identity(A)
    return right_6, cloned_coefficient


OP = _onnxop.Operator(
    name="aten::triangular_solve.default",
    existing="aten::triangular_solve.default",
    results=[
        "solution",
        "cloned_coefficient",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="triangular_solve",
    doc="The operator aten::triangular_solve.",
    spec="sha256:f7e4efe222242d193ba5d011c94ea6e8d802ca478181b6b9964e47ee15caee24",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.triangular_solve.default


@_onnxop.script.scripted(OP)
def triangular_solve(
    self: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::triangular_solve.

    Args:
        self: a tensor.
        A: a tensor.
        upper: a boolean; True by default.
        transpose: a boolean; False by default.
        unitriangular: a boolean; False by default.

    Returns:
        What PyTorch's aten::triangular_solve returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        A,
        upper,
        transpose,
        unitriangular,
    )
    return result


class TriangularSolve(torch.nn.Module):
    """`triangular_solve` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        upper: bool = True,
        transpose: bool = False,
        unitriangular: bool = False,
    ) -> None:
        super().__init__()
        self.upper = upper
        self.transpose = transpose
        self.unitriangular = unitriangular

    def forward(
        self,
        input: Tensor,
        A: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return triangular_solve(
            input,
            A,
            self.upper,
            self.transpose,
            self.unitriangular,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"upper={self.upper}",
                f"transpose={self.transpose}",
                f"unitriangular={self.unitriangular}",
            ]
        )
