"""aten::linalg_ldl_factor_ex: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, hermitian: Any, check_errors: Any) -> Any:
    """aten::linalg_ldl_factor_ex in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2]
    row = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(row, op.constant([1], like="INT64"))
    less = op.Less(column, row)
    lower = op.Where(less, op.constant(0.0, like=self), self)
    equal = op.Equal(column, row)
    transpose = op.Transpose(lower, perm=turned)
    where = op.Where(equal, op.constant(0.0, like=self), transpose)
    whole = op.Add(lower, where)
    shape_2 = op.Shape(self)
    outer = op.Slice(
        shape_2,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    constant_2 = op.Constant(value_int=0)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(constant_2, concat)
    greater = op.Greater(zeros, op.constant(0, like="INT64"))

    def step(k: Any, keep: Any, a: Any, is_second: Any, pivot: Any, info: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        add = op.Add(k, op.constant(1, like="INT64"))
        sub = op.Sub(n, op.constant(1, like="INT64"))
        after = op.Min(add, sub)
        c = op.Gather(a, at, axis=-1)
        gather = op.Gather(c, at, axis=-2)
        size = op.Abs(gather)
        greater_2 = op.Greater(column, k)
        abs = op.Abs(c)
        below = op.Where(greater_2, abs, op.constant(-1.0, like=self))
        arg_max = op.ArgMax(below, axis=-2, keepdims=1)
        place = op.Slice(
            arg_max,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        gather_elements = op.GatherElements(below, place, axis=-2)
        largest = op.Max(gather_elements, op.constant(0.0, like=self))
        shape_3 = op.Shape(c)
        expand = op.Expand(place, shape_3)
        gather_elements_2 = op.GatherElements(a, expand, axis=-1)
        other = op.Abs(gather_elements_2)
        less_2 = op.Less(column, k)
        not_2 = op.Not(less_2)
        equal_2 = op.Equal(column, place)
        not_3 = op.Not(equal_2)
        and_2 = op.And(not_2, not_3)
        beside = op.Where(and_2, other, op.constant(-1.0, like=self))
        arg_max_2 = op.ArgMax(beside, axis=-2, keepdims=1)
        there = op.Slice(
            arg_max_2,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        gather_elements_3 = op.GatherElements(beside, there, axis=-2)
        across = op.Max(gather_elements_3, op.constant(0.0, like=self))
        equal_3 = op.Equal(across, op.constant(0.0, like=self))
        where_2 = op.Where(equal_3, op.constant(1.0, like=self), across)
        ratio = op.Div(largest, where_2)
        mul = op.Mul(op.constant(0.6403882032022076, like=self), largest)
        less_3 = op.Less(size, mul)
        not_4 = op.Not(less_3)
        mul_2 = op.Mul(op.constant(0.6403882032022076, like=self), largest)
        mul_3 = op.Mul(mul_2, ratio)
        less_4 = op.Less(size, mul_3)
        not_5 = op.Not(less_4)
        stays = op.Or(not_4, not_5)
        gather_elements_4 = op.GatherElements(other, place, axis=-2)
        mul_4 = op.Mul(op.constant(0.6403882032022076, like=self), across)
        less_5 = op.Less(gather_elements_4, mul_4)
        is_diagonal = op.Not(less_5)
        or_2 = op.Or(stays, is_diagonal)
        or_3 = op.Or(is_second, or_2)
        is_pair = op.Not(or_3)
        or_4 = op.Or(stays, is_second)
        found = op.Where(or_4, k, place)
        add_2 = op.Add(k, op.constant(1, like="INT64"))
        here = op.Where(is_pair, add_2, k)
        equal_4 = op.Equal(column, here)
        equal_5 = op.Equal(column, found)
        where_3 = op.Where(equal_5, here, column)
        order = op.Where(equal_4, found, where_3)
        shape_4 = op.Shape(a)
        expand_2 = op.Expand(order, shape_4)
        swapped = op.GatherElements(a, expand_2, axis=-2)
        transpose_2 = op.Transpose(order, perm=turned)
        shape_5 = op.Shape(a)
        expand_3 = op.Expand(transpose_2, shape_5)
        swapped_2 = op.GatherElements(swapped, expand_3, axis=-1)
        less_6 = op.Less(row, k)
        or_5 = op.Or(less_6, is_second)
        a_2 = op.Where(or_5, a, swapped_2)
        first = op.Gather(a_2, at, axis=-1)
        unsqueeze = op.Unsqueeze(after, op.constant([0], like="INT64"))
        next = op.Gather(a_2, unsqueeze, axis=-1)
        top = op.Gather(first, at, axis=-2)
        unsqueeze_2 = op.Unsqueeze(after, op.constant([0], like="INT64"))
        corner = op.Gather(next, unsqueeze_2, axis=-2)
        unsqueeze_3 = op.Unsqueeze(after, op.constant([0], like="INT64"))
        gather_2 = op.Gather(first, unsqueeze_3, axis=-2)
        side = op.Where(is_pair, gather_2, op.constant(1.0, like=self))
        greater_3 = op.Greater(column, here)
        not_6 = op.Not(is_second)
        is_rest = op.And(greater_3, not_6)
        max = op.Max(size, largest)
        equal_6 = op.Equal(max, op.constant(0.0, like=self))
        not_7 = op.Not(is_second)
        is_nothing = op.And(equal_6, not_7)
        x = op.Where(is_rest, first, op.constant(0.0, like=self))
        y = op.Where(is_rest, next, op.constant(0.0, like=self))
        p = op.Div(corner, side)
        q = op.Div(top, side)
        mul_5 = op.Mul(p, q)
        sub_2 = op.Sub(mul_5, op.constant(1.0, like=self))
        div = op.Div(op.constant(1.0, like=self), sub_2)
        scale = op.Div(div, side)
        equal_7 = op.Equal(top, op.constant(0.0, like=self))
        where_4 = op.Where(equal_7, op.constant(1.0, like=self), top)
        single = op.Div(x, where_4)
        mul_6 = op.Mul(p, x)
        sub_3 = op.Sub(mul_6, y)
        mul_7 = op.Mul(scale, sub_3)
        left = op.Where(is_pair, mul_7, single)
        mul_8 = op.Mul(q, y)
        sub_4 = op.Sub(mul_8, x)
        mul_9 = op.Mul(scale, sub_4)
        right = op.Where(is_pair, mul_9, op.constant(0.0, like=self))
        transpose_3 = op.Transpose(left, perm=turned)
        mul_10 = op.Mul(x, transpose_3)
        sub_5 = op.Sub(a_2, mul_10)
        transpose_4 = op.Transpose(right, perm=turned)
        mul_11 = op.Mul(y, transpose_4)
        a_3 = op.Sub(sub_5, mul_11)
        equal_8 = op.Equal(row, k)
        and_3 = op.And(equal_8, is_rest)
        a_4 = op.Where(and_3, left, a_3)
        add_3 = op.Add(k, op.constant(1, like="INT64"))
        equal_9 = op.Equal(row, add_3)
        and_4 = op.And(is_rest, is_pair)
        and_5 = op.And(equal_9, and_4)
        a_5 = op.Where(and_5, right, a_4)
        add_4 = op.Add(found, op.constant(1, like="INT64"))
        neg = op.Neg(add_4)
        add_5 = op.Add(found, op.constant(1, like="INT64"))
        where_5 = op.Where(is_pair, neg, add_5)
        pivot_2 = op.Where(is_second, pivot, where_5)
        equal_10 = op.Equal(info, op.constant(0, like="INT64"))
        and_6 = op.And(equal_10, is_nothing)
        add_6 = op.Add(k, op.constant(1, like="INT64"))
        info_2 = op.Where(and_6, add_6, info)
        squeeze = op.Squeeze(pivot_2, op.constant([-2, -1], like="INT64"))
        keep_2 = op.Identity(keep)
        return keep_2, a_5, is_pair, pivot_2, info_2, squeeze

    a_6, _value, _value_2, info_3, pivots = op.Loop(
        n,
        op.constant(True, like="BOOL"),
        whole,
        greater,
        zeros,
        zeros,
        body=step,
        _outputs=5,
    )
    unsqueeze_4 = op.Unsqueeze(n, op.constant([0], like="INT64"))
    concat_2 = op.Concat(unsqueeze_4, outer, axis=0)
    pivots_2 = op.Reshape(pivots, concat_2, allowzero=1)
    transpose_5 = op.Transpose(pivots_2, perm=list(range(1, op.rank(self) - 2 + 1)) + [0])
    pivots_3 = op.Cast(transpose_5, to=6)
    less_7 = op.Less(column, row)
    LD = op.Where(less_7, op.constant(0.0, like=self), a_6)
    reshape = op.Reshape(info_3, outer, allowzero=1)
    info_4 = op.Cast(reshape, to=6)
    return LD, pivots_3, info_4


OP = _onnxop.Operator(
    name="aten::linalg_ldl_factor_ex.default",
    existing="aten::linalg_ldl_factor_ex.default",
    results=[
        "LD",
        "pivots",
        "info",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_ldl_factor_ex",
    doc="The operator aten::linalg_ldl_factor_ex.",
    spec="sha256:434abdd361faf16f356d4267e913276a67a6d42d84b5496c86bfd975187b46db",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_ldl_factor_ex.default


@_onnxop.script.scripted(OP)
def linalg_ldl_factor_ex(
    self: Tensor,
    *,
    hermitian: bool = False,
    check_errors: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """The operator aten::linalg_ldl_factor_ex.

    Args:
        self: a tensor.
        hermitian: a boolean; False by default.
        check_errors: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_ldl_factor_ex returns.
    """
    result: tuple[Tensor, Tensor, Tensor] = _operator(
        self,
        hermitian=hermitian,
        check_errors=check_errors,
    )
    return result


class LinalgLdlFactorEx(torch.nn.Module):
    """`linalg_ldl_factor_ex` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        hermitian: bool = False,
        check_errors: bool = False,
    ) -> None:
        super().__init__()
        self.hermitian = hermitian
        self.check_errors = check_errors

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        return linalg_ldl_factor_ex(
            input,
            hermitian=self.hermitian,
            check_errors=self.check_errors,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"hermitian={self.hermitian}",
                f"check_errors={self.check_errors}",
            ]
        )
