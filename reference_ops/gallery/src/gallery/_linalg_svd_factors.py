"""aten::_linalg_svd: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, full_matrices: Any, compute_uv: Any, driver: Any) -> Any:
    """aten::_linalg_svd in ONNX; `op` writes the nodes for the exporter that asks."""
    swapped = list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2]
    if op.size(A, -2) >= op.size(A, -1):
        tall = A
    else:
        tall = op.Transpose(A, perm=swapped)
    rows = max(op.size(A, -2), op.size(A, -1))
    columns = min(op.size(A, -2), op.size(A, -1))
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    nothing = op.Expand(cast_like, op.constant([0], like="INT64"))
    if columns == 0:
        cast_like_2 = op.CastLike(op.constant(0.0, like="FLOAT"), A)
        shape = op.Shape(A)
        slice = op.Slice(
            shape,
            op.constant([0], like="INT64"),
            op.constant([-2], like="INT64"),
            op.constant([0], like="INT64"),
        )
        concat = op.Concat(slice, op.constant([0], like="INT64"), axis=0)
        S = op.Expand(cast_like_2, concat)
        if not compute_uv:
            result_4, result_5, result_6 = nothing, S, nothing
        else:
            range_2 = op.Range(
                op.constant(0, like="INT64"),
                op.constant(rows, like="INT64"),
                op.constant(1, like="INT64"),
            )
            unsqueeze = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
            range_3 = op.Range(
                op.constant(0, like="INT64"),
                op.constant(rows, like="INT64"),
                op.constant(1, like="INT64"),
            )
            equal = op.Equal(unsqueeze, range_3)
            square = op.CastLike(equal, A)
            shape_2 = op.Shape(A)
            slice_2 = op.Slice(
                shape_2,
                op.constant([0], like="INT64"),
                op.constant([-2], like="INT64"),
                op.constant([0], like="INT64"),
            )
            concat_2 = op.Concat(slice_2, op.constant([rows, rows], like="INT64"), axis=0)
            square_2 = op.Expand(square, concat_2)
            none = op.Slice(
                square_2,
                op.constant([0], like="INT64"),
                op.constant([0], like="INT64"),
                op.constant([-1], like="INT64"),
            )
            empty = op.Slice(
                none,
                op.constant([0], like="INT64"),
                op.constant([0], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            if op.size(A, -2) >= op.size(A, -1):
                result, result_2, result_3 = square_2 if full_matrices else none, S, empty
            else:
                Vh = op.Transpose(square_2 if full_matrices else none, perm=swapped)
                result, result_2, result_3 = empty, S, Vh
            result_4, result_5, result_6 = result, result_2, result_3
        result_13, result_14, result_15 = result_4, result_5, result_6
    else:
        abs = op.Abs(tall)
        largest = op.ReduceMax(abs, op.constant([-2, -1], like="INT64"))
        equal_2 = op.Equal(largest, op.constant(0.0, like=A))
        largest_2 = op.Where(equal_2, op.constant(1.0, like=A), largest)
        tall_2 = op.Div(tall, largest_2)
        shape_3 = op.Shape(A)
        outer = op.Slice(
            shape_3,
            op.constant([0], like="INT64"),
            op.constant([-2], like="INT64"),
            op.constant([0], like="INT64"),
        )
        cast_like_3 = op.CastLike(op.constant(1.0, like="FLOAT"), A)
        concat_3 = op.Concat(outer, op.constant([1, rows], like="INT64"), axis=0)
        ones = op.Expand(cast_like_3, concat_3)
        range_4 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(columns, like="INT64"),
            op.constant(1, like="INT64"),
        )
        unsqueeze_2 = op.Unsqueeze(range_4, op.constant([1], like="INT64"))
        range_5 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(columns, like="INT64"),
            op.constant(1, like="INT64"),
        )
        equal_3 = op.Equal(unsqueeze_2, range_5)
        eye = op.CastLike(equal_3, A)
        concat_4 = op.Concat(outer, op.constant([columns, columns], like="INT64"), axis=0)
        expand = op.Expand(eye, concat_4)
        turned = op.Concat(tall_2, expand, axis=-2)
        cast_like_4 = op.CastLike(op.constant(0.0, like="FLOAT"), A)
        concat_5 = op.Concat(
            outer,
            op.constant([rows + columns, 2 * ((columns + 1) // 2) - columns], like="INT64"),
            axis=0,
        )
        spare = op.Expand(cast_like_4, concat_5)
        turned_2 = op.Concat(turned, spare, axis=-1)
        turned_3 = turned_2
        for turn in range((6 if columns <= 16 else 8 if columns <= 48 else 10) * (2 * ((columns + 1) // 2) - 1) if columns > 1 else 0):  # fmt: skip
            left = op.Slice(
                turned_3,
                op.constant([0], like="INT64"),
                op.constant([(columns + 1) // 2], like="INT64"),
                op.constant([-1], like="INT64"),
            )
            right = op.Slice(
                turned_3,
                op.constant([(columns + 1) // 2], like="INT64"),
                op.constant([2 * ((columns + 1) // 2)], like="INT64"),
                op.constant([-1], like="INT64"),
            )
            x = op.Slice(
                left,
                op.constant([0], like="INT64"),
                op.constant([rows], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            y = op.Slice(
                right,
                op.constant([0], like="INT64"),
                op.constant([rows], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            mul = op.Mul(x, y)
            product = op.MatMul(ones, mul)
            mul_2 = op.Mul(y, y)
            mat_mul = op.MatMul(ones, mul_2)
            mul_3 = op.Mul(x, x)
            mat_mul_2 = op.MatMul(ones, mul_3)
            sub = op.Sub(mat_mul, mat_mul_2)
            mul_4 = op.Mul(op.constant(2.0, like=A), product)
            zeta = op.Div(sub, mul_4)
            less = op.Less(zeta, op.constant(0.0, like=A))
            where = op.Where(less, op.constant(-1.0, like="FLOAT"), op.constant(1.0, like="FLOAT"))
            abs_2 = op.Abs(zeta)
            mul_5 = op.Mul(zeta, zeta)
            add = op.Add(mul_5, op.constant(1.0, like=A))
            sqrt = op.Sqrt(add)
            add_2 = op.Add(abs_2, sqrt)
            tangent = op.Div(where, add_2)
            equal_4 = op.Equal(product, op.constant(0.0, like=A))
            tangent_2 = op.Where(equal_4, op.constant(0.0, like=A), tangent)
            mul_6 = op.Mul(tangent_2, tangent_2)
            add_3 = op.Add(mul_6, op.constant(1.0, like=A))
            sqrt_2 = op.Sqrt(add_3)
            cosine = op.Div(op.constant(1.0, like=A), sqrt_2)
            sine = op.Mul(cosine, tangent_2)
            mul_7 = op.Mul(cosine, left)
            mul_8 = op.Mul(sine, right)
            sub_2 = op.Sub(mul_7, mul_8)
            mul_9 = op.Mul(sine, left)
            mul_10 = op.Mul(cosine, right)
            add_4 = op.Add(mul_9, mul_10)
            turned_4 = op.Concat(sub_2, add_4, axis=-1)
            if (columns + 1) // 2 > 1:
                turned_5 = op.Gather(
                    turned_4,
                    op.constant([0 if j == 0 else (columns + 1) // 2 if j == 1 else j - 1 if j < (columns + 1) // 2 else (columns + 1) // 2 - 1 if j == 2 * ((columns + 1) // 2) - 1 else j + 1 for j in range(2 * ((columns + 1) // 2))], like="INT64"),
                    axis=-1,
                )  # fmt: skip
            else:
                turned_5 = op.Identity(turned_4)
            turned_3 = turned_5
        turned_6 = op.Slice(
            turned_3,
            op.constant([0], like="INT64"),
            op.constant([columns], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        scaled = op.Slice(
            turned_6,
            op.constant([0], like="INT64"),
            op.constant([rows], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        mul_11 = op.Mul(scaled, scaled)
        mat_mul_3 = op.MatMul(ones, mul_11)
        sqrt_3 = op.Sqrt(mat_mul_3)
        sizes = op.Squeeze(sqrt_3, op.constant([-2], like="INT64"))
        sizes_2, places = op.TopK(sizes, op.constant([columns], like="INT64"), axis=-1, _outputs=2)
        concat_6 = op.Concat(outer, op.constant([1], like="INT64"), axis=0)
        reshape = op.Reshape(largest_2, concat_6, allowzero=1)
        S_2 = op.Mul(sizes_2, reshape)
        if not compute_uv:
            result_10, result_11, result_12 = nothing, S_2, nothing
        else:
            places_2 = op.Unsqueeze(places, op.constant([-2], like="INT64"))
            right_2 = op.Slice(
                turned_6,
                op.constant([rows], like="INT64"),
                op.constant([rows + columns], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            shape_4 = op.Shape(right_2)
            expand_2 = op.Expand(places_2, shape_4)
            right_3 = op.GatherElements(right_2, expand_2, axis=-1)
            shape_5 = op.Shape(scaled)
            expand_3 = op.Expand(places_2, shape_5)
            left_2 = op.GatherElements(scaled, expand_3, axis=-1)
            tiny = op.Unsqueeze(sizes_2, op.constant([-2], like="INT64"))
            equal_5 = op.Equal(tiny, op.constant(0.0, like=A))
            div = op.Div(left_2, tiny)
            left_3 = op.Where(equal_5, op.constant(0.0, like=A), div)
            index = op.Range(
                op.constant(0, like="INT64"),
                op.constant(rows, like="INT64"),
                op.constant(1, like="INT64"),
            )
            column = op.Unsqueeze(index, op.constant([1], like="INT64"))
            equal_6 = op.Equal(column, index)
            q = op.CastLike(equal_6, A)
            concat_7 = op.Concat(outer, op.constant([rows, rows], like="INT64"), axis=0)
            q_2 = op.Expand(q, concat_7)
            r = op.Identity(left_3)
            r_2, q_3 = r, q_2
            for k in range(min(rows - 1, columns)):
                less_2 = op.Less(column, op.constant(k, like="INT64"))
                slice_3 = op.Slice(
                    r_2,
                    op.constant([k], like="INT64"),
                    op.constant([k + 1], like="INT64"),
                    op.constant([-1], like="INT64"),
                )
                c = op.Where(less_2, op.constant(0.0, like=A), slice_3)
                head = op.Slice(
                    c,
                    op.constant([k], like="INT64"),
                    op.constant([k + 1], like="INT64"),
                    op.constant([-2], like="INT64"),
                )
                mul_12 = op.Mul(c, c)
                mat_mul_4 = op.MatMul(ones, mul_12)
                size = op.Sqrt(mat_mul_4)
                less_3 = op.Less(head, op.constant(0.0, like=A))
                neg = op.Neg(size)
                where_2 = op.Where(less_3, neg, size)
                slice_4 = op.Slice(
                    q,
                    op.constant([k], like="INT64"),
                    op.constant([k + 1], like="INT64"),
                    op.constant([-1], like="INT64"),
                )
                mul_13 = op.Mul(where_2, slice_4)
                v = op.Add(c, mul_13)
                flat = op.Transpose(v, perm=swapped)
                mul_14 = op.Mul(v, v)
                scale = op.MatMul(ones, mul_14)
                mul_15 = op.Mul(op.constant(2.0, like=A), v)
                equal_7 = op.Equal(scale, op.constant(0.0, like=A))
                where_3 = op.Where(equal_7, op.constant(1.0, like=A), scale)
                v_2 = op.Div(mul_15, where_3)
                mat_mul_5 = op.MatMul(flat, r_2)
                mat_mul_6 = op.MatMul(v_2, mat_mul_5)
                r_3 = op.Sub(r_2, mat_mul_6)
                transpose_2 = op.Transpose(flat, perm=swapped)
                mat_mul_7 = op.MatMul(q_3, transpose_2)
                transpose_3 = op.Transpose(v_2, perm=swapped)
                mat_mul_8 = op.MatMul(mat_mul_7, transpose_3)
                q_4 = op.Sub(q_3, mat_mul_8)
                r_2, q_3 = r_3, q_4
            basis = op.Slice(
                q_3,
                op.constant([0], like="INT64"),
                op.constant([columns], like="INT64"),
                op.constant([-1], like="INT64"),
            )
            equal_8 = op.Equal(tiny, op.constant(0.0, like=A))
            left_4 = op.Where(equal_8, basis, left_3)
            if full_matrices:
                slice_5 = op.Slice(
                    q_3,
                    op.constant([columns], like="INT64"),
                    op.constant([rows], like="INT64"),
                    op.constant([-1], like="INT64"),
                )
                left_6 = op.Concat(left_4, slice_5, axis=-1)
            else:
                left_6 = left_4
            if op.size(A, -2) >= op.size(A, -1):
                Vh_2 = op.Transpose(right_3, perm=swapped)
                result_7, result_8, result_9 = left_6, S_2, Vh_2
            else:
                Vh_3 = op.Transpose(left_6, perm=swapped)
                result_7, result_8, result_9 = right_3, S_2, Vh_3
            result_10, result_11, result_12 = result_7, result_8, result_9
        result_13, result_14, result_15 = result_10, result_11, result_12
    result_16 = op.Identity(result_15)
    return result_13, result_14, result_16


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
    spec="sha256:87f85e8e458fc925446f8ba8213e6de07a4ee8f30f10c4db0b10a1cc901b4a8b",
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
