"""aten::linalg_lu_factor: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, pivot: Any) -> Any:
    """aten::linalg_lu_factor in ONNX; `op` writes the nodes for the exporter that asks."""
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
    steps = op.Range(op.constant(0, like="INT64"), short, op.constant(1, like="INT64"))
    cast_like = op.CastLike(op.constant(0, like="INT64"), steps)
    shape_4 = op.Shape(steps)
    concat = op.Concat(outer, shape_4, axis=0)
    pivots = op.Expand(cast_like, concat)
    size = op.Size(A)
    min = op.Min(short, size)

    def step(k: Any, keep: Any, lu: Any, pivots_2: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(lu, at, axis=-1)
        abs = op.Abs(gather)
        candidates = op.Where(less, op.constant(-1.0, like=A), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(steps, k)
        squeeze = op.Squeeze(place, op.constant([-1], like="INT64"))
        add = op.Add(squeeze, op.constant(1, like="INT64"))
        pivots_3 = op.Where(equal_2, add, pivots_2)
        gather_2 = op.Gather(eye, at, axis=-1)
        equal_3 = op.Equal(column, place)
        cast_like_2 = op.CastLike(equal_3, A)
        swap = op.Sub(gather_2, cast_like_2)
        turn = op.Transpose(swap, perm=turned)
        mat_mul = op.MatMul(turn, lu)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        lu_2 = op.Sub(lu, mat_mul_2)
        line = op.Gather(lu_2, at, axis=-2)
        head = op.Gather(line, at, axis=-1)
        greater = op.Greater(column, k)
        gather_3 = op.Gather(lu_2, at, axis=-1)
        old = op.Where(greater, gather_3, op.constant(0.0, like=A))
        equal_4 = op.Equal(head, op.constant(0.0, like=A))
        where = op.Where(equal_4, op.constant(1.0, like=A), head)
        below = op.Div(old, where)
        greater_2 = op.Greater(across, k)
        where_2 = op.Where(greater_2, line, op.constant(0.0, like=A))
        mat_mul_3 = op.MatMul(below, where_2)
        lu_3 = op.Sub(lu_2, mat_mul_3)
        equal_5 = op.Equal(across, k)
        cast_like_3 = op.CastLike(equal_5, A)
        sub = op.Sub(old, below)
        mul = op.Mul(cast_like_3, sub)
        lu_4 = op.Sub(lu_3, mul)
        keep_2 = op.Identity(keep)
        return keep_2, lu_4, pivots_3

    lu_5, pivots_4 = op.Loop(min, op.constant(True, like="BOOL"), A, pivots, body=step, _outputs=2)
    pivots_5 = op.Cast(pivots_4, to=6)
    return lu_5, pivots_5


OP = _onnxop.Operator(
    name="aten::linalg_lu_factor.default",
    existing="aten::linalg_lu_factor.default",
    results=[
        "LU",
        "pivots",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_lu_factor",
    doc="The operator aten::linalg_lu_factor.",
    spec="sha256:accb6e3408b1a0832b55db33aff7ade44e396199a762b9466b1ae22c16f9f930",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_lu_factor.default


@_onnxop.script.scripted(OP)
def linalg_lu_factor(
    A: Tensor,
    *,
    pivot: bool = True,
) -> tuple[Tensor, Tensor]:
    """The operator aten::linalg_lu_factor.

    Args:
        A: a tensor.
        pivot: a boolean; True by default.

    Returns:
        What PyTorch's aten::linalg_lu_factor returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        A,
        pivot=pivot,
    )
    return result


class LinalgLuFactor(torch.nn.Module):
    """`linalg_lu_factor` as a module; what is no tensor is fixed."""

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
    ) -> tuple[Tensor, Tensor]:
        return linalg_lu_factor(
            A,
            pivot=self.pivot,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"pivot={self.pivot}",
            ]
        )
