"""aten::linalg_pinv: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, atol: Any, rtol: Any, hermitian: Any) -> Any:
    """aten::linalg_pinv in ONNX; `op` writes the nodes for the exporter that asks."""
    swapped = list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2]
    if op.size(self, -2) == 0 or op.size(self, -1) == 0:
        result_3 = op.Transpose(self, perm=swapped)
    else:
        given = op.Identity(self)
        if hermitian:
            low = op.Trilu(self, upper=0)
            constant_2 = op.Constant(value_int=-1)
            trilu = op.Trilu(low, constant_2, upper=0)
            transpose = op.Transpose(trilu, perm=swapped)
            given_3 = op.Add(low, transpose)
        else:
            given_3 = given
        abs = op.Abs(given_3)
        size = op.ReduceMax(abs, op.constant([-2, -1], like="INT64"))
        equal = op.Equal(size, op.constant(0.0, like=self))
        size_2 = op.Where(equal, op.constant(1.0, like=self), size)
        given_4 = op.Div(given_3, size_2)
        if op.size(self, -2) >= op.size(self, -1):
            tall = given_4
        else:
            tall = op.Transpose(given_4, perm=swapped)
        shape = op.Shape(self)
        outer = op.Slice(
            shape,
            op.constant([0], like="INT64"),
            op.constant([-2], like="INT64"),
            op.constant([0], like="INT64"),
        )
        range_2 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(min(op.size(self, -2), op.size(self, -1)), like="INT64"),
            op.constant(1, like="INT64"),
        )
        unsqueeze = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
        range_3 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(min(op.size(self, -2), op.size(self, -1)), like="INT64"),
            op.constant(1, like="INT64"),
        )
        equal_2 = op.Equal(unsqueeze, range_3)
        eye = op.CastLike(equal_2, self)
        concat = op.Concat(
            outer,
            op.constant([min(op.size(self, -2), op.size(self, -1)), min(op.size(self, -2), op.size(self, -1))], like="INT64"),
            axis=0,
        )  # fmt: skip
        expand = op.Expand(eye, concat)
        turned = op.Concat(tall, expand, axis=-2)
        cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), self)
        concat_2 = op.Concat(
            outer,
            op.constant([max(op.size(self, -2), op.size(self, -1)) + min(op.size(self, -2), op.size(self, -1)), 2 * ((min(op.size(self, -2), op.size(self, -1)) + 1) // 2) - min(op.size(self, -2), op.size(self, -1))], like="INT64"),
            axis=0,
        )  # fmt: skip
        spare = op.Expand(cast_like, concat_2)
        turned_2 = op.Concat(turned, spare, axis=-1)
        turned_3 = turned_2
        for turn in range((6 if min(op.size(self, -2), op.size(self, -1)) <= 16 else 8 if min(op.size(self, -2), op.size(self, -1)) <= 48 else 10) * (2 * ((min(op.size(self, -2), op.size(self, -1)) + 1) // 2) - 1) if min(op.size(self, -2), op.size(self, -1)) > 1 else 0):  # fmt: skip
            left = op.Slice(
                turned_3,
                op.constant([0], like="INT64"),
                op.constant([(min(op.size(self, -2), op.size(self, -1)) + 1) // 2], like="INT64"),
                op.constant([-1], like="INT64"),
            )
            right = op.Slice(
                turned_3,
                op.constant([(min(op.size(self, -2), op.size(self, -1)) + 1) // 2], like="INT64"),
                op.constant([2 * ((min(op.size(self, -2), op.size(self, -1)) + 1) // 2)], like="INT64"),
                op.constant([-1], like="INT64"),
            )  # fmt: skip
            x = op.Slice(
                left,
                op.constant([0], like="INT64"),
                op.constant([max(op.size(self, -2), op.size(self, -1))], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            y = op.Slice(
                right,
                op.constant([0], like="INT64"),
                op.constant([max(op.size(self, -2), op.size(self, -1))], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            mul = op.Mul(x, y)
            product = op.ReduceSum(mul, op.constant([-2], like="INT64"))
            mul_2 = op.Mul(y, y)
            reduce_sum = op.ReduceSum(mul_2, op.constant([-2], like="INT64"))
            mul_3 = op.Mul(x, x)
            reduce_sum_2 = op.ReduceSum(mul_3, op.constant([-2], like="INT64"))
            sub = op.Sub(reduce_sum, reduce_sum_2)
            mul_4 = op.Mul(op.constant(2.0, like=self), product)
            zeta = op.Div(sub, mul_4)
            less = op.Less(zeta, op.constant(0.0, like=self))
            where = op.Where(less, op.constant(-1.0, like="FLOAT"), op.constant(1.0, like="FLOAT"))
            abs_2 = op.Abs(zeta)
            mul_5 = op.Mul(zeta, zeta)
            add = op.Add(mul_5, op.constant(1.0, like=self))
            sqrt = op.Sqrt(add)
            add_2 = op.Add(abs_2, sqrt)
            tangent = op.Div(where, add_2)
            equal_3 = op.Equal(product, op.constant(0.0, like=self))
            tangent_2 = op.Where(equal_3, op.constant(0.0, like=self), tangent)
            mul_6 = op.Mul(tangent_2, tangent_2)
            add_3 = op.Add(mul_6, op.constant(1.0, like=self))
            sqrt_2 = op.Sqrt(add_3)
            cosine = op.Div(op.constant(1.0, like=self), sqrt_2)
            sine = op.Mul(cosine, tangent_2)
            mul_7 = op.Mul(cosine, left)
            mul_8 = op.Mul(sine, right)
            sub_2 = op.Sub(mul_7, mul_8)
            mul_9 = op.Mul(sine, left)
            mul_10 = op.Mul(cosine, right)
            add_4 = op.Add(mul_9, mul_10)
            turned_4 = op.Concat(sub_2, add_4, axis=-1)
            if (min(op.size(self, -2), op.size(self, -1)) + 1) // 2 > 1:
                turned_5 = op.Gather(
                    turned_4,
                    op.constant([0 if j == 0 else (min(op.size(self, -2), op.size(self, -1)) + 1) // 2 if j == 1 else j - 1 if j < (min(op.size(self, -2), op.size(self, -1)) + 1) // 2 else (min(op.size(self, -2), op.size(self, -1)) + 1) // 2 - 1 if j == 2 * ((min(op.size(self, -2), op.size(self, -1)) + 1) // 2) - 1 else j + 1 for j in range(2 * ((min(op.size(self, -2), op.size(self, -1)) + 1) // 2))], like="INT64"),
                    axis=-1,
                )  # fmt: skip
            else:
                turned_5 = op.Identity(turned_4)
            turned_3 = turned_5
        turned_6 = op.Slice(
            turned_3,
            op.constant([0], like="INT64"),
            op.constant([min(op.size(self, -2), op.size(self, -1))], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        scaled = op.Slice(
            turned_6,
            op.constant([0], like="INT64"),
            op.constant([max(op.size(self, -2), op.size(self, -1))], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        right_2 = op.Slice(
            turned_6,
            op.constant([max(op.size(self, -2), op.size(self, -1))], like="INT64"),
            op.constant([max(op.size(self, -2), op.size(self, -1)) + min(op.size(self, -2), op.size(self, -1))], like="INT64"),
            op.constant([-2], like="INT64"),
        )  # fmt: skip
        mul_11 = op.Mul(scaled, scaled)
        squares = op.ReduceSum(mul_11, op.constant([-2], like="INT64"))
        sizes = op.Sqrt(squares)
        largest = op.ReduceMax(sizes, op.constant([-1], like="INT64"))
        one = op.CastLike(op.constant(1.0, like="FLOAT"), self)
        add_5 = op.Add(one, op.constant(1e-10, like=self))
        greater = op.Greater(add_5, one)
        cast_like_2 = op.CastLike(op.constant(2.220446049250313e-16, like="FLOAT"), self)
        epsilon = op.Where(greater, cast_like_2, op.constant(1.1920928955078125e-07, like=self))
        if rtol is not None:
            cast_like_3 = op.CastLike(rtol, self)
            relative = op.Unsqueeze(cast_like_3, op.constant([-2, -1], like="INT64"))
        else:
            relative = op.Mul(
                epsilon,
                op.constant(float(max(op.size(self, -2), op.size(self, -1))), like=self),
            )
        if atol is not None:
            cast_like_4 = op.CastLike(atol, self)
            absolute = op.Unsqueeze(cast_like_4, op.constant([-2, -1], like="INT64"))
        else:
            absolute = op.CastLike(op.constant(0.0, like="FLOAT"), self)
        mul_13 = op.Mul(relative, largest)
        div = op.Div(absolute, size_2)
        max_2 = op.Max(mul_13, div)
        is_kept = op.Greater(sizes, max_2)
        div_2 = op.Div(op.constant(1.0, like=self), squares)
        where_2 = op.Where(is_kept, div_2, op.constant(0.0, like=self))
        mul_14 = op.Mul(right_2, where_2)
        transpose_3 = op.Transpose(scaled, perm=swapped)
        mat_mul = op.MatMul(mul_14, transpose_3)
        found = op.Div(mat_mul, size_2)
        if op.size(self, -2) >= op.size(self, -1):
            result_2 = op.Identity(found)
        else:
            result_2 = op.Transpose(found, perm=swapped)
        result_3 = result_2
    return result_3


OP = _onnxop.Operator(
    name="aten::linalg_pinv.atol_rtol_tensor",
    called="linalg_pinv_of_tensors",
    existing="aten::linalg_pinv.atol_rtol_tensor",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_pinv_of_tensors",
    doc="The pseudoinverse of a matrix, as linalg.pinv calls it with its tolerances as tensors.",
    spec="sha256:8878912b349a51e4e2713c27447b8b5aa6e24c29ef7917bdb7099e2c24f72847",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_pinv.atol_rtol_tensor


@_onnxop.script.scripted(OP)
def linalg_pinv_of_tensors(
    self: Tensor,
    *,
    atol: Tensor | None = None,
    rtol: Tensor | None = None,
    hermitian: bool = False,
) -> Tensor:
    """The pseudoinverse of a matrix, as linalg.pinv calls it with its tolerances as tensors.

    Args:
        self: a tensor.
        atol: a tensor or None; None by default.
        rtol: a tensor or None; None by default.
        hermitian: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_pinv returns.
    """
    result: Tensor = _operator(
        self,
        atol=atol,
        rtol=rtol,
        hermitian=hermitian,
    )
    return result


class LinalgPinvOfTensors(torch.nn.Module):
    """`linalg_pinv_of_tensors` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        hermitian: bool = False,
    ) -> None:
        super().__init__()
        self.hermitian = hermitian

    def forward(
        self,
        input: Tensor,
        atol: Tensor | None = None,
        rtol: Tensor | None = None,
    ) -> Tensor:
        return linalg_pinv_of_tensors(
            input,
            atol=atol,
            rtol=rtol,
            hermitian=self.hermitian,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"hermitian={self.hermitian}",
            ]
        )
