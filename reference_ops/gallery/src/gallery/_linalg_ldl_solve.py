"""aten::linalg_ldl_solve: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, LD: Any, pivots: Any, B: Any, hermitian: Any) -> Any:
    """aten::linalg_ldl_solve in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(LD)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(LD) - 2)) + [op.rank(LD) - 1, op.rank(LD) - 2]
    range_2 = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
    shape_2 = op.Shape(LD)
    outer = op.Slice(
        shape_2,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), LD)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(cast_like, concat)
    cast = op.Cast(pivots, to=7)
    pivot = op.Unsqueeze(cast, op.constant([-1], like="INT64"))
    none = op.Greater(zeros, op.constant(0.0, like=LD))
    add = op.Add(B, zeros)

    def forth(k: Any, keep: Any, x: Any, is_second: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        add_2 = op.Add(k, op.constant(1, like="INT64"))
        sub = op.Sub(n, op.constant(1, like="INT64"))
        min = op.Min(add_2, sub)
        after = op.Unsqueeze(min, op.constant([0], like="INT64"))
        found = op.Gather(pivot, at, axis=-2)
        less = op.Less(found, op.constant(0, like="INT64"))
        not_2 = op.Not(is_second)
        is_pair = op.And(less, not_2)
        add_3 = op.Add(k, op.constant(1, like="INT64"))
        here = op.Where(is_pair, add_3, k)
        abs = op.Abs(found)
        sub_2 = op.Sub(abs, op.constant(1, like="INT64"))
        found_2 = op.Where(is_second, k, sub_2)
        equal = op.Equal(column, here)
        equal_2 = op.Equal(column, found_2)
        where = op.Where(equal_2, here, column)
        order = op.Where(equal, found_2, where)
        shape_3 = op.Shape(x)
        expand = op.Expand(order, shape_3)
        x_2 = op.GatherElements(x, expand, axis=-2)
        first = op.Gather(LD, at, axis=-1)
        next = op.Gather(LD, after, axis=-1)
        one = op.Gather(x_2, at, axis=-2)
        two = op.Gather(x_2, after, axis=-2)
        greater = op.Greater(column, here)
        not_3 = op.Not(is_second)
        is_rest = op.And(greater, not_3)
        where_2 = op.Where(is_rest, first, op.constant(0.0, like=LD))
        mul = op.Mul(where_2, one)
        sub_3 = op.Sub(x_2, mul)
        and_2 = op.And(is_rest, is_pair)
        where_3 = op.Where(and_2, next, op.constant(0.0, like=LD))
        mul_2 = op.Mul(where_3, two)
        x_3 = op.Sub(sub_3, mul_2)
        top = op.Gather(first, at, axis=-2)
        gather = op.Gather(first, after, axis=-2)
        side = op.Where(is_pair, gather, op.constant(1.0, like=LD))
        gather_2 = op.Gather(next, after, axis=-2)
        p = op.Div(gather_2, side)
        q = op.Div(top, side)
        mul_3 = op.Mul(p, q)
        sub_4 = op.Sub(mul_3, op.constant(1.0, like=LD))
        divisor = op.Mul(sub_4, side)
        equal_3 = op.Equal(column, k)
        mul_4 = op.Mul(p, one)
        sub_5 = op.Sub(mul_4, two)
        div = op.Div(sub_5, divisor)
        mul_5 = op.Mul(q, two)
        sub_6 = op.Sub(mul_5, one)
        div_2 = op.Div(sub_6, divisor)
        pair = op.Where(equal_3, div, div_2)
        equal_4 = op.Equal(column, k)
        add_4 = op.Add(k, op.constant(1, like="INT64"))
        equal_5 = op.Equal(column, add_4)
        and_3 = op.And(is_pair, equal_5)
        is_divided = op.Or(equal_4, and_3)
        div_3 = op.Div(one, top)
        divided = op.Where(is_pair, pair, div_3)
        not_4 = op.Not(is_second)
        and_4 = op.And(is_divided, not_4)
        where_4 = op.Where(and_4, divided, x_3)
        keep_2 = op.Identity(keep)
        return keep_2, where_4, is_pair

    x_4, _value = op.Loop(n, op.constant(True, like="BOOL"), add, none, body=forth, _outputs=2)

    def back(i: Any, keep_3: Any, x_5: Any, is_first: Any) -> Any:
        sub_7 = op.Sub(n, op.constant(1, like="INT64"))
        k_2 = op.Sub(sub_7, i)
        at_2 = op.Unsqueeze(k_2, op.constant([0], like="INT64"))
        sub_8 = op.Sub(k_2, op.constant(1, like="INT64"))
        max = op.Max(sub_8, op.constant(0, like="INT64"))
        before = op.Unsqueeze(max, op.constant([0], like="INT64"))
        found_3 = op.Gather(pivot, at_2, axis=-2)
        less_2 = op.Less(found_3, op.constant(0, like="INT64"))
        not_5 = op.Not(is_first)
        is_pair_2 = op.And(less_2, not_5)
        abs_2 = op.Abs(found_3)
        sub_9 = op.Sub(abs_2, op.constant(1, like="INT64"))
        found_4 = op.Where(is_first, k_2, sub_9)
        greater_2 = op.Greater(column, k_2)
        not_6 = op.Not(is_first)
        is_rest_2 = op.And(greater_2, not_6)
        and_5 = op.And(is_rest_2, is_pair_2)
        gather_3 = op.Gather(LD, before, axis=-1)
        first_2 = op.Where(and_5, gather_3, op.constant(0.0, like=LD))
        gather_4 = op.Gather(LD, at_2, axis=-1)
        next_2 = op.Where(is_rest_2, gather_4, op.constant(0.0, like=LD))
        transpose = op.Transpose(first_2, perm=turned)
        one_2 = op.MatMul(transpose, x_5)
        transpose_2 = op.Transpose(next_2, perm=turned)
        two_2 = op.MatMul(transpose_2, x_5)
        sub_10 = op.Sub(k_2, op.constant(1, like="INT64"))
        equal_6 = op.Equal(column, sub_10)
        where_5 = op.Where(equal_6, one_2, op.constant(0.0, like=LD))
        sub_11 = op.Sub(x_5, where_5)
        equal_7 = op.Equal(column, k_2)
        where_6 = op.Where(equal_7, two_2, op.constant(0.0, like=LD))
        x_6 = op.Sub(sub_11, where_6)
        equal_8 = op.Equal(column, k_2)
        equal_9 = op.Equal(column, found_4)
        where_7 = op.Where(equal_9, k_2, column)
        order_2 = op.Where(equal_8, found_4, where_7)
        shape_4 = op.Shape(x_6)
        expand_2 = op.Expand(order_2, shape_4)
        gather_elements = op.GatherElements(x_6, expand_2, axis=-2)
        keep_4 = op.Identity(keep_3)
        return keep_4, gather_elements, is_pair_2

    x_7, _value_2 = op.Loop(n, op.constant(True, like="BOOL"), x_4, none, body=back, _outputs=2)
    return x_7


OP = _onnxop.Operator(
    name="aten::linalg_ldl_solve.default",
    existing="aten::linalg_ldl_solve.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_ldl_solve",
    doc="The operator aten::linalg_ldl_solve.",
    spec="sha256:5485791d7822b8948d7b19638044f6af2cb8285446608a01152e68b43bd34dd4",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_ldl_solve.default


@_onnxop.script.scripted(OP)
def linalg_ldl_solve(
    LD: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    hermitian: bool = False,
) -> Tensor:
    """The operator aten::linalg_ldl_solve.

    Args:
        LD: a tensor.
        pivots: a tensor.
        B: a tensor.
        hermitian: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_ldl_solve returns.
    """
    result: Tensor = _operator(
        LD,
        pivots,
        B,
        hermitian=hermitian,
    )
    return result


class LinalgLdlSolve(torch.nn.Module):
    """`linalg_ldl_solve` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        hermitian: bool = False,
    ) -> None:
        super().__init__()
        self.hermitian = hermitian

    def forward(
        self,
        LD: Tensor,
        pivots: Tensor,
        B: Tensor,
    ) -> Tensor:
        return linalg_ldl_solve(
            LD,
            pivots,
            B,
            hermitian=self.hermitian,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"hermitian={self.hermitian}",
            ]
        )
