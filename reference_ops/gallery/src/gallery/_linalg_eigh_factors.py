"""aten::_linalg_eigh: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, UPLO: Any, compute_v: Any) -> Any:
    """aten::_linalg_eigh in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.size(A, -1) == 0:
        cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), A)
        shape = op.Shape(A)
        slice = op.Slice(
            shape,
            op.constant([0], like="INT64"),
            op.constant([-1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        eigenvalues = op.Expand(cast_like, slice)
        eigenvectors = op.Identity(A)
        result_3, result_4 = eigenvalues, eigenvectors
    else:
        shape_2 = op.Shape(A)
        outer = op.Slice(
            shape_2,
            op.constant([0], like="INT64"),
            op.constant([-2], like="INT64"),
            op.constant([0], like="INT64"),
        )
        range_2 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(op.size(A, -1), like="INT64"),
            op.constant(1, like="INT64"),
        )
        unsqueeze = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
        range_3 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(op.size(A, -1), like="INT64"),
            op.constant(1, like="INT64"),
        )
        equal = op.Equal(unsqueeze, range_3)
        eye = op.CastLike(equal, A)
        if UPLO == "L" or UPLO == "l":
            low_3 = op.Trilu(A, upper=0)
        else:
            trilu = op.Trilu(A, upper=1)
            low_3 = op.Transpose(
                trilu,
                perm=list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2],
            )
        trilu_2 = op.Trilu(low_3, op.constant(-1, like="INT64"), upper=0)
        transpose = op.Transpose(
            trilu_2,
            perm=list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2],
        )
        whole = op.Add(low_3, transpose)
        abs = op.Abs(whole)
        size = op.ReduceMax(abs, op.constant([-2, -1], like="INT64"))
        equal_2 = op.Equal(size, op.constant(0.0, like=A))
        size_2 = op.Where(equal_2, op.constant(1.0, like=A), size)
        whole_2 = op.Div(whole, size_2)
        abs_2 = op.Abs(whole_2)
        reduce_sum = op.ReduceSum(abs_2, op.constant([-1], like="INT64"))
        reduce_max = op.ReduceMax(reduce_sum, op.constant([-2], like="INT64"))
        mul = op.Mul(eye, reduce_max)
        shifted = op.Add(whole_2, mul)
        concat = op.Concat(
            outer,
            op.constant([op.size(A, -1), op.size(A, -1)], like="INT64"),
            axis=0,
        )
        expand = op.Expand(eye, concat)
        turned = op.Concat(shifted, expand, axis=-2)
        shape_3 = op.Shape(A)
        outer_2 = op.Slice(
            shape_3,
            op.constant([0], like="INT64"),
            op.constant([-2], like="INT64"),
            op.constant([0], like="INT64"),
        )
        cast_like_2 = op.CastLike(op.constant(0.0, like="FLOAT"), A)
        concat_2 = op.Concat(
            outer_2,
            op.constant([2 * op.size(A, -1), 2 * ((op.size(A, -1) + 1) // 2) - op.size(A, -1)], like="INT64"),
            axis=0,
        )  # fmt: skip
        spare = op.Expand(cast_like_2, concat_2)
        turned_2 = op.Concat(turned, spare, axis=-1)
        turned_3 = turned_2
        for turn in range((6 if op.size(A, -1) <= 16 else 8 if op.size(A, -1) <= 48 else 10) * (2 * ((op.size(A, -1) + 1) // 2) - 1) if op.size(A, -1) > 1 else 0):  # fmt: skip
            left = op.Slice(
                turned_3,
                op.constant([0], like="INT64"),
                op.constant([(op.size(A, -1) + 1) // 2], like="INT64"),
                op.constant([-1], like="INT64"),
            )
            right = op.Slice(
                turned_3,
                op.constant([(op.size(A, -1) + 1) // 2], like="INT64"),
                op.constant([2 * ((op.size(A, -1) + 1) // 2)], like="INT64"),
                op.constant([-1], like="INT64"),
            )
            x = op.Slice(
                left,
                op.constant([0], like="INT64"),
                op.constant([op.size(A, -1)], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            y = op.Slice(
                right,
                op.constant([0], like="INT64"),
                op.constant([op.size(A, -1)], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            mul_2 = op.Mul(x, y)
            product = op.ReduceSum(mul_2, op.constant([-2], like="INT64"))
            mul_3 = op.Mul(y, y)
            reduce_sum_2 = op.ReduceSum(mul_3, op.constant([-2], like="INT64"))
            mul_4 = op.Mul(x, x)
            reduce_sum_3 = op.ReduceSum(mul_4, op.constant([-2], like="INT64"))
            sub = op.Sub(reduce_sum_2, reduce_sum_3)
            mul_5 = op.Mul(op.constant(2.0, like=A), product)
            zeta = op.Div(sub, mul_5)
            less = op.Less(zeta, op.constant(0.0, like=A))
            where = op.Where(less, op.constant(-1.0, like="FLOAT"), op.constant(1.0, like="FLOAT"))
            abs_3 = op.Abs(zeta)
            mul_6 = op.Mul(zeta, zeta)
            add = op.Add(mul_6, op.constant(1.0, like=A))
            sqrt = op.Sqrt(add)
            add_2 = op.Add(abs_3, sqrt)
            tangent = op.Div(where, add_2)
            equal_3 = op.Equal(product, op.constant(0.0, like=A))
            tangent_2 = op.Where(equal_3, op.constant(0.0, like=A), tangent)
            mul_7 = op.Mul(tangent_2, tangent_2)
            add_3 = op.Add(mul_7, op.constant(1.0, like=A))
            sqrt_2 = op.Sqrt(add_3)
            cosine = op.Div(op.constant(1.0, like=A), sqrt_2)
            sine = op.Mul(cosine, tangent_2)
            mul_8 = op.Mul(cosine, left)
            mul_9 = op.Mul(sine, right)
            sub_2 = op.Sub(mul_8, mul_9)
            mul_10 = op.Mul(sine, left)
            mul_11 = op.Mul(cosine, right)
            add_4 = op.Add(mul_10, mul_11)
            turned_4 = op.Concat(sub_2, add_4, axis=-1)
            if (op.size(A, -1) + 1) // 2 > 1:
                turned_5 = op.Gather(
                    turned_4,
                    op.constant([0 if j == 0 else (op.size(A, -1) + 1) // 2 if j == 1 else j - 1 if j < (op.size(A, -1) + 1) // 2 else (op.size(A, -1) + 1) // 2 - 1 if j == 2 * ((op.size(A, -1) + 1) // 2) - 1 else j + 1 for j in range(2 * ((op.size(A, -1) + 1) // 2))], like="INT64"),
                    axis=-1,
                )  # fmt: skip
            else:
                turned_5 = op.Identity(turned_4)
            turned_3 = turned_5
        turned_6 = op.Slice(
            turned_3,
            op.constant([0], like="INT64"),
            op.constant([op.size(A, -1)], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        vectors = op.Slice(
            turned_6,
            op.constant([op.size(A, -1)], like="INT64"),
            op.constant([2 * op.size(A, -1)], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        mat_mul = op.MatMul(whole_2, vectors)
        mul_12 = op.Mul(vectors, mat_mul)
        values = op.ReduceSum(mul_12, op.constant([-2], like="INT64"), keepdims=0)
        squeeze = op.Squeeze(size_2, op.constant([-1], like="INT64"))
        mul_13 = op.Mul(values, squeeze)
        values_2, places = op.TopK(
            mul_13,
            op.constant([op.size(A, -1)], like="INT64"),
            axis=-1,
            largest=0,
            _outputs=2,
        )
        if not compute_v:
            cast_like_3 = op.CastLike(op.constant(0.0, like="FLOAT"), A)
            eigenvectors_2 = op.Expand(cast_like_3, op.constant([0], like="INT64"))
            result, result_2 = values_2, eigenvectors_2
        else:
            unsqueeze_2 = op.Unsqueeze(places, op.constant([-2], like="INT64"))
            shape_4 = op.Shape(vectors)
            places_2 = op.Expand(unsqueeze_2, shape_4)
            eigenvectors_3 = op.GatherElements(vectors, places_2, axis=-1)
            result, result_2 = values_2, eigenvectors_3
        result_3, result_4 = result, result_2
    return result_3, result_4


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
    spec="sha256:e0722de8fbbd6bb5d9fca38ca38fddb7b57e563c49690eda1dde193eea449cc6",
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
