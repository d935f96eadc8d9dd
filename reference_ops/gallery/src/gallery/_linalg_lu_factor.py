"""aten::linalg_lu_factor: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, pivot: Any) -> Any:
    """aten::linalg_lu_factor in ONNX; `op` writes the nodes for the exporter that asks."""
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(A, -2), like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    shape = op.Shape(A)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, A)
    lu = op.Identity(A)
    concat = op.Concat(outer, op.constant([op.size(A, -2), op.size(A, -2)], like="INT64"), axis=0)
    order = op.Expand(eye, concat)
    constant_2 = op.Constant(value_int=0)
    concat_2 = op.Concat(outer, op.constant([0], like="INT64"), axis=0)
    pivots = op.Expand(constant_2, concat_2)
    pivots_2, lu_2, order_2 = pivots, lu, order
    for k in range(min(op.size(A, -2), op.size(A, -1))):
        less = op.Less(column, op.constant(k, like="INT64"))
        slice = op.Slice(
            lu_2,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        abs = op.Abs(slice)
        candidates = op.Where(less, op.constant(-1.0, like=A), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        squeeze = op.Squeeze(place, op.constant([-1], like="INT64"))
        add = op.Add(squeeze, op.constant(1, like="INT64"))
        pivots_3 = op.Concat(pivots_2, add, axis=-1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, A)
        here = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        swap = op.Sub(here, chosen)
        turn = op.Transpose(
            swap,
            perm=list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2],
        )
        mat_mul = op.MatMul(turn, lu_2)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        lu_3 = op.Sub(lu_2, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, order_2)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        order_3 = op.Sub(order_2, mat_mul_4)
        line = op.Slice(
            lu_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        head = op.Slice(
            line,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        equal_3 = op.Equal(head, op.constant(0.0, like=A))
        head_2 = op.Where(equal_3, op.constant(1.0, like=A), head)
        greater = op.Greater(column, op.constant(k, like="INT64"))
        slice_2 = op.Slice(
            lu_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        div = op.Div(slice_2, head_2)
        below = op.Where(greater, div, op.constant(0.0, like=A))
        range_2 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(op.size(A, -1), like="INT64"),
            op.constant(1, like="INT64"),
        )
        greater_2 = op.Greater(range_2, op.constant(k, like="INT64"))
        across = op.Where(greater_2, line, op.constant(0.0, like=A))
        range_3 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(op.size(A, -1), like="INT64"),
            op.constant(1, like="INT64"),
        )
        equal_4 = op.Equal(range_3, op.constant(k, like="INT64"))
        there = op.CastLike(equal_4, A)
        mat_mul_5 = op.MatMul(below, across)
        sub = op.Sub(lu_3, mat_mul_5)
        greater_3 = op.Greater(column, op.constant(k, like="INT64"))
        slice_3 = op.Slice(
            lu_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        where = op.Where(greater_3, slice_3, op.constant(0.0, like=A))
        sub_2 = op.Sub(where, below)
        mul = op.Mul(there, sub_2)
        lu_4 = op.Sub(sub, mul)
        pivots_2, lu_2, order_2 = pivots_3, lu_4, order_3
    concat_3 = op.Concat(
        outer,
        op.constant([min(op.size(A, -2), op.size(A, -1))], like="INT64"),
        axis=0,
    )
    reshape = op.Reshape(pivots_2, concat_3, allowzero=1)
    pivots_4 = op.Cast(reshape, to=6)
    return lu_2, pivots_4


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
    spec="sha256:77f553e6fae6bd3dceb1ab09a6f98aa8d06fc604ea2ed8c2fd7d0c2683e2b304",
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
