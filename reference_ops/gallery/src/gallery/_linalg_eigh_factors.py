"""aten::_linalg_eigh: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, UPLO: Any, compute_v: Any) -> Any:
    """aten::_linalg_eigh in ONNX; `op` writes the nodes for the exporter that asks."""
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
    columns = op.Identity(rows)
    if UPLO == "L" or UPLO == "l":
        low_3 = op.Trilu(A, upper=0)
    else:
        trilu = op.Trilu(A, upper=1)
        low_3 = op.Transpose(trilu, perm=swapped)
    trilu_2 = op.Trilu(low_3, op.constant(-1, like="INT64"), upper=0)
    transpose = op.Transpose(trilu_2, perm=swapped)
    whole = op.Add(low_3, transpose)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    concat = op.Concat(outer, op.constant([1], like="INT64"), axis=0)
    zero = op.Expand(cast_like, concat)
    abs = op.Abs(whole)
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
    whole_2 = op.Div(whole, unsqueeze)
    cast_like_2 = op.CastLike(op.constant(1.0, like="FLOAT"), A)
    concat_4 = op.Concat(outer, op.constant([1], like="INT64"), rows, axis=0)
    ones = op.Expand(cast_like_2, concat_4)
    squeeze = op.Squeeze(columns, op.constant([0], like="INT64"))
    index = op.Range(op.constant(0, like="INT64"), squeeze, op.constant(1, like="INT64"))
    unsqueeze_2 = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal_2 = op.Equal(unsqueeze_2, index)
    eye = op.CastLike(equal_2, A)
    abs_2 = op.Abs(whole_2)
    across = op.MatMul(ones, abs_2)
    unsqueeze_3 = op.Unsqueeze(zero, op.constant([-1], like="INT64"))
    concat_5 = op.Concat(across, unsqueeze_3, axis=-1)
    reduce_max_2 = op.ReduceMax(concat_5, op.constant([-1], like="INT64"))
    slice = op.Slice(
        reduce_max_2,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    mul_2 = op.Mul(eye, slice)
    shifted = op.Add(whole_2, mul_2)
    concat_6 = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    expand = op.Expand(eye, concat_6)
    turned = op.Concat(shifted, expand, axis=-2)
    add = op.Add(columns, op.constant(1, like="INT64"))
    half = op.Div(add, op.constant(2, like="INT64"))
    width = op.Mul(op.constant(2, like="INT64"), half)
    cast_like_3 = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    add_2 = op.Add(rows, columns)
    sub = op.Sub(width, columns)
    concat_7 = op.Concat(outer, add_2, sub, axis=0)
    spare = op.Expand(cast_like_3, concat_7)
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
    mul_3 = op.Mul(sweeps, sub_5)
    squeeze_3 = op.Squeeze(mul_3, op.constant([0], like="INT64"))

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
        mul_4 = op.Mul(x, y)
        product = op.MatMul(ones, mul_4)
        mul_5 = op.Mul(y, y)
        mat_mul = op.MatMul(ones, mul_5)
        mul_6 = op.Mul(x, x)
        mat_mul_2 = op.MatMul(ones, mul_6)
        sub_6 = op.Sub(mat_mul, mat_mul_2)
        mul_7 = op.Mul(op.constant(2.0, like=A), product)
        zeta = op.Div(sub_6, mul_7)
        less_2 = op.Less(zeta, op.constant(0.0, like=A))
        cast_like_4 = op.CastLike(op.constant(-1.0, like="FLOAT"), zeta)
        where_4 = op.Where(less_2, cast_like_4, op.constant(1.0, like=A))
        abs_3 = op.Abs(zeta)
        mul_8 = op.Mul(zeta, zeta)
        add_4 = op.Add(mul_8, op.constant(1.0, like=A))
        sqrt = op.Sqrt(add_4)
        add_5 = op.Add(abs_3, sqrt)
        tangent = op.Div(where_4, add_5)
        equal_6 = op.Equal(product, op.constant(0.0, like=A))
        tangent_2 = op.Where(equal_6, op.constant(0.0, like=A), tangent)
        mul_9 = op.Mul(tangent_2, tangent_2)
        add_6 = op.Add(mul_9, op.constant(1.0, like=A))
        sqrt_2 = op.Sqrt(add_6)
        cosine = op.Div(op.constant(1.0, like=A), sqrt_2)
        sine = op.Mul(cosine, tangent_2)
        mul_10 = op.Mul(cosine, left)
        mul_11 = op.Mul(sine, right)
        sub_7 = op.Sub(mul_10, mul_11)
        mul_12 = op.Mul(sine, left)
        mul_13 = op.Mul(cosine, right)
        add_7 = op.Add(mul_12, mul_13)
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
    add_8 = op.Add(rows, columns)
    vectors = op.Slice(turned_6, rows, add_8, op.constant([-2], like="INT64"))
    mat_mul_3 = op.MatMul(whole_2, vectors)
    mul_14 = op.Mul(vectors, mat_mul_3)
    mat_mul_4 = op.MatMul(ones, mul_14)
    values = op.Squeeze(mat_mul_4, op.constant([-2], like="INT64"))
    mul_15 = op.Mul(values, largest_2)
    values_2, places = op.TopK(mul_15, columns, axis=-1, largest=0, _outputs=2)
    if not compute_v:
        cast_like_5 = op.CastLike(op.constant(0.0, like="FLOAT"), A)
        eigenvectors = op.Expand(cast_like_5, op.constant([0], like="INT64"))
        result, result_2 = values_2, eigenvectors
    else:
        unsqueeze_4 = op.Unsqueeze(places, op.constant([-2], like="INT64"))
        shape_3 = op.Shape(vectors)
        places_2 = op.Expand(unsqueeze_4, shape_3)
        eigenvectors_2 = op.GatherElements(vectors, places_2, axis=-1)
        result, result_2 = values_2, eigenvectors_2
    return result, result_2


OP = _onnxop.Operator(
    name="aten::_linalg_eigh.default",
    called="linalg_eigh_factors",
    existing="aten::_linalg_eigh.default",
    results=[
        "eigenvalues",
        "eigenvectors",
    ],
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_eigh_factors",
    doc="The eigenvalues and vectors of a symmetric matrix, as linalg.eigh and its relatives call it; vectors up to their signs.",
    spec="sha256:1db3fb50a5755c73dc23795bc71813431a6c8dfe05dd22da6a521817affdc8f3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._linalg_eigh.default


@_onnxop.script.scripted(OP)
def linalg_eigh_factors(
    A: Tensor,
    UPLO: str = "L",
    compute_v: bool = True,
) -> tuple[Tensor, Tensor]:
    """The eigenvalues and vectors of a symmetric matrix, as linalg.eigh and its relatives call it; vectors up to their signs.

    Args:
        A: a tensor.
        UPLO: a string; 'L' by default.
        compute_v: a boolean; True by default.

    Returns:
        What PyTorch's aten::_linalg_eigh returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        A,
        UPLO,
        compute_v,
    )
    return result


class LinalgEighFactors(torch.nn.Module):
    """`linalg_eigh_factors` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        UPLO: str = "L",
        compute_v: bool = True,
    ) -> None:
        super().__init__()
        self.UPLO = UPLO
        self.compute_v = compute_v

    def forward(
        self,
        A: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return linalg_eigh_factors(
            A,
            self.UPLO,
            self.compute_v,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"UPLO={self.UPLO}",
                f"compute_v={self.compute_v}",
            ]
        )
