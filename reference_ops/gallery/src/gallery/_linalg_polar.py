"""aten::linalg_polar: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any) -> Any:
    """aten::linalg_polar in ONNX; `op` writes the nodes for the exporter that asks."""
    swapped = list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2]
    shape = op.Shape(A)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape_2 = op.Shape(A)
    rows = op.Slice(
        shape_2,
        op.constant([-2], like="INT64"),
        op.constant([-1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape_3 = op.Shape(A)
    columns = op.Slice(
        shape_3,
        op.constant([-1], like="INT64"),
        op.constant([2147483648], like="INT64"),
        op.constant([0], like="INT64"),
    )
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    concat = op.Concat(outer, op.constant([1], like="INT64"), axis=0)
    zero = op.Expand(cast_like, concat)
    abs = op.Abs(A)
    mul = op.Mul(rows, columns)
    concat_2 = op.Concat(outer, mul, axis=0)
    entries = op.Reshape(abs, concat_2, allowzero=1)
    concat_3 = op.Concat(entries, zero, axis=-1)
    reduce_max = op.ReduceMax(concat_3, op.constant([-1], like="INT64"))
    largest = op.Slice(
        reduce_max,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    equal = op.Equal(largest, op.constant(0.0, like=A))
    largest_2 = op.Where(equal, op.constant(1.0, like=A), largest)
    unsqueeze = op.Unsqueeze(largest_2, op.constant([-1], like="INT64"))
    tall = op.Div(A, unsqueeze)
    cast_like_2 = op.CastLike(op.constant(1.0, like="FLOAT"), A)
    concat_4 = op.Concat(outer, op.constant([1], like="INT64"), rows, axis=0)
    ones = op.Expand(cast_like_2, concat_4)
    squeeze = op.Squeeze(columns, op.constant([0], like="INT64"))
    index = op.Range(op.constant(0, like="INT64"), squeeze, op.constant(1, like="INT64"))
    unsqueeze_2 = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal_2 = op.Equal(unsqueeze_2, index)
    eye = op.CastLike(equal_2, A)
    concat_5 = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    expand = op.Expand(eye, concat_5)
    turned = op.Concat(tall, expand, axis=-2)
    add = op.Add(columns, op.constant(1, like="INT64"))
    half = op.Div(add, op.constant(2, like="INT64"))
    width = op.Mul(op.constant(2, like="INT64"), half)
    cast_like_3 = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    add_2 = op.Add(rows, columns)
    sub = op.Sub(width, columns)
    concat_6 = op.Concat(outer, add_2, sub, axis=0)
    spare = op.Expand(cast_like_3, concat_6)
    turned_2 = op.Concat(turned, spare, axis=-1)
    squeeze_2 = op.Squeeze(width, op.constant([0], like="INT64"))
    j = op.Range(op.constant(0, like="INT64"), squeeze_2, op.constant(1, like="INT64"))
    sub_2 = op.Sub(width, op.constant(1, like="INT64"))
    equal_3 = op.Equal(j, sub_2)
    sub_3 = op.Sub(half, op.constant(1, like="INT64"))
    less = op.Less(j, half)
    sub_4 = op.Sub(j, op.constant(1, like="INT64"))
    add_3 = op.Add(j, op.constant(1, like="INT64"))
    where = op.Where(less, sub_4, add_3)
    order = op.Where(equal_3, sub_3, where)
    equal_4 = op.Equal(j, op.constant(0, like="INT64"))
    equal_5 = op.Equal(j, op.constant(1, like="INT64"))
    where_2 = op.Where(equal_5, half, order)
    order_2 = op.Where(equal_4, op.constant(0, like="INT64"), where_2)
    less_or_equal = op.LessOrEqual(columns, op.constant(16, like="INT64"))
    less_or_equal_2 = op.LessOrEqual(columns, op.constant(48, like="INT64"))
    where_3 = op.Where(less_or_equal_2, op.constant(8, like="INT64"), op.constant(10, like="INT64"))
    sweeps = op.Where(less_or_equal, op.constant(6, like="INT64"), where_3)
    sub_5 = op.Sub(width, op.constant(1, like="INT64"))
    mul_2 = op.Mul(sweeps, sub_5)
    squeeze_3 = op.Squeeze(mul_2, op.constant([0], like="INT64"))

    def rotate(k: Any, keep: Any, turned_3: Any) -> Any:
        left = op.Slice(
            turned_3,
            op.constant([0], like="INT64"),
            half,
            op.constant([-1], like="INT64"),
        )
        right = op.Slice(turned_3, half, width, op.constant([-1], like="INT64"))
        x = op.Slice(left, op.constant([0], like="INT64"), rows, op.constant([-2], like="INT64"))
        y = op.Slice(right, op.constant([0], like="INT64"), rows, op.constant([-2], like="INT64"))
        mul_3 = op.Mul(x, y)
        product = op.MatMul(ones, mul_3)
        mul_4 = op.Mul(y, y)
        mat_mul = op.MatMul(ones, mul_4)
        mul_5 = op.Mul(x, x)
        mat_mul_2 = op.MatMul(ones, mul_5)
        sub_6 = op.Sub(mat_mul, mat_mul_2)
        mul_6 = op.Mul(op.constant(2.0, like=A), product)
        zeta = op.Div(sub_6, mul_6)
        less_2 = op.Less(zeta, op.constant(0.0, like=A))
        cast_like_4 = op.CastLike(op.constant(-1.0, like="FLOAT"), zeta)
        where_4 = op.Where(less_2, cast_like_4, op.constant(1.0, like=A))
        abs_2 = op.Abs(zeta)
        mul_7 = op.Mul(zeta, zeta)
        add_4 = op.Add(mul_7, op.constant(1.0, like=A))
        sqrt = op.Sqrt(add_4)
        add_5 = op.Add(abs_2, sqrt)
        tangent = op.Div(where_4, add_5)
        equal_6 = op.Equal(product, op.constant(0.0, like=A))
        tangent_2 = op.Where(equal_6, op.constant(0.0, like=A), tangent)
        mul_8 = op.Mul(tangent_2, tangent_2)
        add_6 = op.Add(mul_8, op.constant(1.0, like=A))
        sqrt_2 = op.Sqrt(add_6)
        cosine = op.Div(op.constant(1.0, like=A), sqrt_2)
        sine = op.Mul(cosine, tangent_2)
        mul_9 = op.Mul(cosine, left)
        mul_10 = op.Mul(sine, right)
        sub_7 = op.Sub(mul_9, mul_10)
        mul_11 = op.Mul(sine, left)
        mul_12 = op.Mul(cosine, right)
        add_7 = op.Add(mul_11, mul_12)
        turned_4 = op.Concat(sub_7, add_7, axis=-1)
        gather = op.Gather(turned_4, order_2, axis=-1)
        keep_2 = op.Identity(keep)
        return keep_2, gather

    turned_5 = op.Loop(squeeze_3, op.constant(True, like="BOOL"), turned_2, body=rotate)
    turned_6 = op.Slice(
        turned_5,
        op.constant([0], like="INT64"),
        columns,
        op.constant([-1], like="INT64"),
    )
    scaled = op.Slice(
        turned_6,
        op.constant([0], like="INT64"),
        rows,
        op.constant([-2], like="INT64"),
    )
    mul_13 = op.Mul(scaled, scaled)
    mat_mul_3 = op.MatMul(ones, mul_13)
    sqrt_3 = op.Sqrt(mat_mul_3)
    sizes = op.Squeeze(sqrt_3, op.constant([-2], like="INT64"))
    sizes_2, places = op.TopK(sizes, columns, axis=-1, _outputs=2)
    places_2 = op.Unsqueeze(places, op.constant([-2], like="INT64"))
    add_8 = op.Add(rows, columns)
    right_2 = op.Slice(turned_6, rows, add_8, op.constant([-2], like="INT64"))
    shape_4 = op.Shape(right_2)
    expand_2 = op.Expand(places_2, shape_4)
    right_3 = op.GatherElements(right_2, expand_2, axis=-1)
    shape_5 = op.Shape(scaled)
    expand_3 = op.Expand(places_2, shape_5)
    scaled_2 = op.GatherElements(scaled, expand_3, axis=-1)
    tiny = op.Unsqueeze(sizes_2, op.constant([-2], like="INT64"))
    equal_7 = op.Equal(tiny, op.constant(0.0, like=A))
    div = op.Div(scaled_2, tiny)
    left_2 = op.Where(equal_7, op.constant(0.0, like=A), div)
    squeeze_4 = op.Squeeze(rows, op.constant([0], like="INT64"))
    line = op.Range(op.constant(0, like="INT64"), squeeze_4, op.constant(1, like="INT64"))
    column = op.Unsqueeze(line, op.constant([1], like="INT64"))
    equal_8 = op.Equal(column, line)
    square = op.CastLike(equal_8, A)
    cast_like_5 = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    concat_7 = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(cast_like_5, concat_7)
    q = op.Add(square, zeros)
    sub_8 = op.Sub(rows, op.constant(1, like="INT64"))
    min = op.Min(sub_8, columns)
    squeeze_5 = op.Squeeze(min, op.constant([0], like="INT64"))

    def reflect(k_2: Any, keep_3: Any, q_2: Any, r: Any) -> Any:
        at = op.Unsqueeze(k_2, op.constant([0], like="INT64"))
        less_3 = op.Less(column, k_2)
        gather_2 = op.Gather(r, at, axis=-1)
        c = op.Where(less_3, op.constant(0.0, like=A), gather_2)
        mul_14 = op.Mul(c, c)
        mat_mul_4 = op.MatMul(ones, mul_14)
        size = op.Sqrt(mat_mul_4)
        gather_3 = op.Gather(c, at, axis=-2)
        less_4 = op.Less(gather_3, op.constant(0.0, like=A))
        neg = op.Neg(size)
        where_5 = op.Where(less_4, neg, size)
        gather_4 = op.Gather(square, at, axis=-1)
        mul_15 = op.Mul(where_5, gather_4)
        v = op.Add(c, mul_15)
        mul_16 = op.Mul(v, v)
        scale = op.MatMul(ones, mul_16)
        flat = op.Transpose(v, perm=swapped)
        mul_17 = op.Mul(op.constant(2.0, like=A), v)
        equal_9 = op.Equal(scale, op.constant(0.0, like=A))
        where_6 = op.Where(equal_9, op.constant(1.0, like=A), scale)
        v_2 = op.Div(mul_17, where_6)
        mat_mul_5 = op.MatMul(q_2, v_2)
        mat_mul_6 = op.MatMul(mat_mul_5, flat)
        sub_9 = op.Sub(q_2, mat_mul_6)
        mat_mul_7 = op.MatMul(flat, r)
        mat_mul_8 = op.MatMul(v_2, mat_mul_7)
        sub_10 = op.Sub(r, mat_mul_8)
        keep_4 = op.Identity(keep_3)
        return keep_4, sub_9, sub_10

    q_3, _value = op.Loop(
        squeeze_5,
        op.constant(True, like="BOOL"),
        q,
        left_2,
        body=reflect,
        _outputs=2,
    )
    equal_10 = op.Equal(tiny, op.constant(0.0, like=A))
    slice = op.Slice(q_3, op.constant([0], like="INT64"), columns, op.constant([-1], like="INT64"))
    left_3 = op.Where(equal_10, slice, left_2)
    back = op.Transpose(right_3, perm=swapped)
    U = op.MatMul(left_3, back)
    unsqueeze_3 = op.Unsqueeze(largest_2, op.constant([-1], like="INT64"))
    mul_18 = op.Mul(tiny, unsqueeze_3)
    mul_19 = op.Mul(right_3, mul_18)
    H = op.MatMul(mul_19, back)
    return U, H


OP = _onnxop.Operator(
    name="aten::linalg_polar.default",
    existing="aten::linalg_polar.default",
    results=[
        "U",
        "H",
    ],
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_polar",
    doc="The operator aten::linalg_polar.",
    spec="sha256:c3435b784c33fe19a7000b857755e21e79db70cca47edb4c155a0606da45e5e4",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_polar.default


@_onnxop.script.scripted(OP)
def linalg_polar(
    A: Tensor,
) -> tuple[Tensor, Tensor]:
    """The operator aten::linalg_polar.

    Args:
        A: a tensor.

    Returns:
        What PyTorch's aten::linalg_polar returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        A,
    )
    return result


class LinalgPolar(torch.nn.Module):
    """`linalg_polar` as a module."""

    def forward(
        self,
        A: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return linalg_polar(
            A,
        )
