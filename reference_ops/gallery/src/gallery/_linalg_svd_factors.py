"""aten::_linalg_svd: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, full_matrices: Any, compute_uv: Any, driver: Any) -> Any:
    """aten::_linalg_svd in ONNX; `op` writes the nodes for the exporter that asks."""
    swapped = list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2]
    shape = op.Shape(A)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape_2 = op.Shape(A)
    m = op.Slice(
        shape_2,
        op.constant([-2], like="INT64"),
        op.constant([-1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape_3 = op.Shape(A)
    n = op.Slice(
        shape_3,
        op.constant([-1], like="INT64"),
        op.constant([2147483648], like="INT64"),
        op.constant([0], like="INT64"),
    )
    greater_or_equal = op.GreaterOrEqual(m, n)
    is_tall = op.Squeeze(greater_or_equal, op.constant([0], like="INT64"))
    rows = op.Max(m, n)
    columns = op.Min(m, n)

    def then_branch() -> Any:
        return op.Identity(A)

    def else_branch() -> Any:
        return op.Transpose(A, perm=swapped)

    tall = op.If(is_tall, then_branch=then_branch, else_branch=else_branch)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    concat = op.Concat(outer, op.constant([1], like="INT64"), axis=0)
    zero = op.Expand(cast_like, concat)
    abs = op.Abs(tall)
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
    tall_2 = op.Div(tall, unsqueeze)
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
    turned = op.Concat(tall_2, expand, axis=-2)
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
    S = op.Mul(sizes_2, largest_2)
    if not compute_uv:
        cast_like_5 = op.CastLike(op.constant(0.0, like="FLOAT"), A)
        nothing = op.Expand(cast_like_5, op.constant([0], like="INT64"))
        result, result_2, result_3 = nothing, S, nothing
    else:
        places_2 = op.Unsqueeze(places, op.constant([-2], like="INT64"))
        add_8 = op.Add(rows, columns)
        right_2 = op.Slice(turned_6, rows, add_8, op.constant([-2], like="INT64"))
        shape_4 = op.Shape(right_2)
        expand_2 = op.Expand(places_2, shape_4)
        right_3 = op.GatherElements(right_2, expand_2, axis=-1)
        shape_5 = op.Shape(scaled)
        expand_3 = op.Expand(places_2, shape_5)
        left_2 = op.GatherElements(scaled, expand_3, axis=-1)
        tiny = op.Unsqueeze(sizes_2, op.constant([-2], like="INT64"))
        equal_7 = op.Equal(tiny, op.constant(0.0, like=A))
        div = op.Div(left_2, tiny)
        left_3 = op.Where(equal_7, op.constant(0.0, like=A), div)
        squeeze_4 = op.Squeeze(rows, op.constant([0], like="INT64"))
        line = op.Range(op.constant(0, like="INT64"), squeeze_4, op.constant(1, like="INT64"))
        column = op.Unsqueeze(line, op.constant([1], like="INT64"))
        equal_8 = op.Equal(column, line)
        square = op.CastLike(equal_8, A)
        cast_like_6 = op.CastLike(op.constant(0.0, like="FLOAT"), A)
        concat_7 = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
        zeros = op.Expand(cast_like_6, concat_7)
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
            left_3,
            body=reflect,
            _outputs=2,
        )
        equal_10 = op.Equal(tiny, op.constant(0.0, like=A))
        slice = op.Slice(
            q_3,
            op.constant([0], like="INT64"),
            columns,
            op.constant([-1], like="INT64"),
        )
        left_4 = op.Where(equal_10, slice, left_3)
        if full_matrices:
            slice_2 = op.Slice(q_3, columns, rows, op.constant([-1], like="INT64"))
            left_6 = op.Concat(left_4, slice_2, axis=-1)
        else:
            left_6 = left_4

        def then_branch_2() -> Any:
            left_7 = op.Identity(left_6)
            right_4 = op.Identity(right_3)
            return left_7, right_4

        def else_branch_2() -> Any:
            right_5 = op.Identity(right_3)
            left_8 = op.Identity(left_6)
            return right_5, left_8

        u, v_3 = op.If(is_tall, then_branch=then_branch_2, else_branch=else_branch_2, _outputs=2)
        Vh = op.Transpose(v_3, perm=swapped)
        result, result_2, result_3 = u, S, Vh
    result_4 = op.Identity(result_3)
    return result, result_2, result_4


OP = _onnxop.Operator(
    name="aten::_linalg_svd.default",
    called="linalg_svd_factors",
    existing="aten::_linalg_svd.default",
    results=[
        "U",
        "S",
        "Vh",
    ],
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_svd_factors",
    doc="The singular values and vectors of a matrix, as linalg.svd and its relatives call it; vectors up to their signs.",
    spec="sha256:7d3c13a02dc19fe0d644bd9fe89fb585873d2620121ada09cf0399a409852709",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._linalg_svd.default


@_onnxop.script.scripted(OP)
def linalg_svd_factors(
    A: Tensor,
    full_matrices: bool = False,
    compute_uv: bool = True,
    *,
    driver: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The singular values and vectors of a matrix, as linalg.svd and its relatives call it; vectors up to their signs.

    Args:
        A: a tensor.
        full_matrices: a boolean; False by default.
        compute_uv: a boolean; True by default.
        driver: a string or None; None by default.

    Returns:
        What PyTorch's aten::_linalg_svd returns.
    """
    result: tuple[Tensor, Tensor, Tensor] = _operator(
        A,
        full_matrices,
        compute_uv,
        driver=driver,
    )
    return result


class LinalgSvdFactors(torch.nn.Module):
    """`linalg_svd_factors` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        full_matrices: bool = False,
        compute_uv: bool = True,
        *,
        driver: str | None = None,
    ) -> None:
        super().__init__()
        self.full_matrices = full_matrices
        self.compute_uv = compute_uv
        self.driver = driver

    def forward(
        self,
        A: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        return linalg_svd_factors(
            A,
            self.full_matrices,
            self.compute_uv,
            driver=self.driver,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"full_matrices={self.full_matrices}",
                f"compute_uv={self.compute_uv}",
                f"driver={self.driver}",
            ]
        )
