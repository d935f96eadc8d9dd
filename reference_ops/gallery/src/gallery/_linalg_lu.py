"""aten::linalg_lu: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, pivot: Any) -> Any:
    """aten::linalg_lu in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(A)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape_2 = op.Shape(A)
    m = op.Gather(shape_2, op.constant(-2, like="INT64"))
    shape_3 = op.Shape(A)
    n = op.Gather(shape_3, op.constant(-1, like="INT64"))
    short = op.Min(m, n)
    turned = list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2]
    across = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    range_2 = op.Range(op.constant(0, like="INT64"), m, op.constant(1, like="INT64"))
    column = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
    range_3 = op.Range(op.constant(0, like="INT64"), m, op.constant(1, like="INT64"))
    equal = op.Equal(column, range_3)
    eye = op.CastLike(equal, A)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(cast_like, concat)
    order = op.Add(eye, zeros)
    size = op.Size(A)
    min = op.Min(short, size)

    def step(k: Any, keep: Any, lu: Any, order_2: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(lu, at, axis=-1)
        abs = op.Abs(gather)
        candidates = op.Where(less, op.constant(-1.0, like=A), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        gather_2 = op.Gather(eye, at, axis=-1)
        equal_2 = op.Equal(column, place)
        cast_like_2 = op.CastLike(equal_2, A)
        swap = op.Sub(gather_2, cast_like_2)
        turn = op.Transpose(swap, perm=turned)
        mat_mul = op.MatMul(turn, lu)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        lu_2 = op.Sub(lu, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, order_2)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        order_3 = op.Sub(order_2, mat_mul_4)
        line = op.Gather(lu_2, at, axis=-2)
        head = op.Gather(line, at, axis=-1)
        greater = op.Greater(column, k)
        gather_3 = op.Gather(lu_2, at, axis=-1)
        old = op.Where(greater, gather_3, op.constant(0.0, like=A))
        equal_3 = op.Equal(head, op.constant(0.0, like=A))
        where = op.Where(equal_3, op.constant(1.0, like=A), head)
        below = op.Div(old, where)
        greater_2 = op.Greater(across, k)
        where_2 = op.Where(greater_2, line, op.constant(0.0, like=A))
        mat_mul_5 = op.MatMul(below, where_2)
        lu_3 = op.Sub(lu_2, mat_mul_5)
        equal_4 = op.Equal(across, k)
        cast_like_3 = op.CastLike(equal_4, A)
        sub = op.Sub(old, below)
        mul = op.Mul(cast_like_3, sub)
        lu_4 = op.Sub(lu_3, mul)
        keep_2 = op.Identity(keep)
        return keep_2, lu_4, order_3

    lu_5, order_4 = op.Loop(min, op.constant(True, like="BOOL"), A, order, body=step, _outputs=2)
    greater_3 = op.Greater(column, across)
    equal_5 = op.Equal(column, across)
    cast_like_4 = op.CastLike(equal_5, A)
    low = op.Where(greater_3, lu_5, cast_like_4)
    greater_4 = op.Greater(column, across)
    up = op.Where(greater_4, op.constant(0.0, like=A), lu_5)
    size_2 = op.Unsqueeze(short, op.constant([0], like="INT64"))
    P = op.Transpose(order_4, perm=turned)
    L = op.Slice(low, op.constant([0], like="INT64"), size_2, op.constant([-1], like="INT64"))
    U = op.Slice(up, op.constant([0], like="INT64"), size_2, op.constant([-2], like="INT64"))
    return P, L, U


OP = _onnxop.Operator(
    name="aten::linalg_lu.default",
    existing="aten::linalg_lu.default",
    results=[
        "P",
        "L",
        "U",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_lu",
    doc="The operator aten::linalg_lu.",
    spec="sha256:2733c7b655f44c50aa0c5da0a1116dab40d937df0e0c901e21e2479cc396bd5f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_lu.default


@_onnxop.script.scripted(OP)
def linalg_lu(
    A: Tensor,
    *,
    pivot: bool = True,
) -> tuple[Tensor, Tensor, Tensor]:
    """The operator aten::linalg_lu.

    Args:
        A: a tensor.
        pivot: a boolean; True by default.

    Returns:
        What PyTorch's aten::linalg_lu returns.
    """
    result: tuple[Tensor, Tensor, Tensor] = _operator(
        A,
        pivot=pivot,
    )
    return result


class LinalgLu(torch.nn.Module):
    """`linalg_lu` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        pivot: bool = True,
    ) -> None:
        super().__init__()
        self.pivot = pivot

    def forward(
        self,
        A: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        return linalg_lu(
            A,
            pivot=self.pivot,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"pivot={self.pivot}",
            ]
        )
