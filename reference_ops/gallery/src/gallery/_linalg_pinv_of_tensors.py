"""aten::linalg_pinv: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, atol: Any, rtol: Any, hermitian: Any) -> Any:
    """aten::linalg_pinv in ONNX; `op` writes the nodes for the exporter that asks."""
    swapped = list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2]
    shape = op.Shape(self)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape_2 = op.Shape(self)
    m = op.Slice(
        shape_2,
        op.constant([-2], like="INT64"),
        op.constant([-1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape_3 = op.Shape(self)
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
    given = op.Identity(self)
    if hermitian:
        low = op.Trilu(self, upper=0)
        constant_2 = op.Constant(value_int=-1)
        trilu = op.Trilu(low, constant_2, upper=0)
        transpose = op.Transpose(trilu, perm=swapped)
        given_3 = op.Add(low, transpose)
    else:
        given_3 = given

    def then_branch() -> Any:
        return op.Identity(given_3)

    def else_branch() -> Any:
        return op.Transpose(given_3, perm=swapped)

    tall = op.If(is_tall, then_branch=then_branch, else_branch=else_branch)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), self)
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
    equal = op.Equal(largest, op.constant(0.0, like=self))
    largest_2 = op.Where(equal, op.constant(1.0, like=self), largest)
    unsqueeze = op.Unsqueeze(largest_2, op.constant([-1], like="INT64"))
    tall_2 = op.Div(tall, unsqueeze)
    cast_like_2 = op.CastLike(op.constant(1.0, like="FLOAT"), self)
    concat_4 = op.Concat(outer, op.constant([1], like="INT64"), rows, axis=0)
    ones = op.Expand(cast_like_2, concat_4)
    squeeze = op.Squeeze(columns, op.constant([0], like="INT64"))
    index = op.Range(op.constant(0, like="INT64"), squeeze, op.constant(1, like="INT64"))
    unsqueeze_2 = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal_2 = op.Equal(unsqueeze_2, index)
    eye = op.CastLike(equal_2, self)
    concat_5 = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    expand = op.Expand(eye, concat_5)
    turned = op.Concat(tall_2, expand, axis=-2)
    add = op.Add(columns, op.constant(1, like="INT64"))
    half = op.Div(add, op.constant(2, like="INT64"))
    width = op.Mul(op.constant(2, like="INT64"), half)
    cast_like_3 = op.CastLike(op.constant(0.0, like="FLOAT"), self)
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
        mul_6 = op.Mul(op.constant(2.0, like=self), product)
        zeta = op.Div(sub_6, mul_6)
        less_2 = op.Less(zeta, op.constant(0.0, like=self))
        cast_like_4 = op.CastLike(op.constant(-1.0, like="FLOAT"), zeta)
        where_4 = op.Where(less_2, cast_like_4, op.constant(1.0, like=self))
        abs_2 = op.Abs(zeta)
        mul_7 = op.Mul(zeta, zeta)
        add_4 = op.Add(mul_7, op.constant(1.0, like=self))
        sqrt = op.Sqrt(add_4)
        add_5 = op.Add(abs_2, sqrt)
        tangent = op.Div(where_4, add_5)
        equal_6 = op.Equal(product, op.constant(0.0, like=self))
        tangent_2 = op.Where(equal_6, op.constant(0.0, like=self), tangent)
        mul_8 = op.Mul(tangent_2, tangent_2)
        add_6 = op.Add(mul_8, op.constant(1.0, like=self))
        sqrt_2 = op.Sqrt(add_6)
        cosine = op.Div(op.constant(1.0, like=self), sqrt_2)
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
    add_8 = op.Add(rows, columns)
    right_2 = op.Slice(turned_6, rows, add_8, op.constant([-2], like="INT64"))
    mul_13 = op.Mul(scaled, scaled)
    squares = op.MatMul(ones, mul_13)
    sizes = op.Sqrt(squares)
    unsqueeze_3 = op.Unsqueeze(zero, op.constant([-1], like="INT64"))
    concat_7 = op.Concat(sizes, unsqueeze_3, axis=-1)
    reduce_max_2 = op.ReduceMax(concat_7, op.constant([-1], like="INT64"))
    top = op.Slice(
        reduce_max_2,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    one = op.CastLike(op.constant(1.0, like="FLOAT"), self)
    add_9 = op.Add(one, op.constant(1e-10, like=self))
    greater = op.Greater(add_9, one)
    cast_like_5 = op.CastLike(op.constant(2.220446049250313e-16, like="FLOAT"), self)
    epsilon = op.Where(greater, cast_like_5, op.constant(1.1920928955078125e-07, like=self))
    if rtol is not None:
        cast_like_6 = op.CastLike(rtol, self)
        relative = op.Unsqueeze(cast_like_6, op.constant([-2, -1], like="INT64"))
    else:
        cast_like_7 = op.CastLike(rows, self)
        relative = op.Mul(epsilon, cast_like_7)
    if atol is not None:
        cast_like_8 = op.CastLike(atol, self)
        absolute = op.Unsqueeze(cast_like_8, op.constant([-2, -1], like="INT64"))
    else:
        absolute = op.CastLike(op.constant(0.0, like="FLOAT"), self)
    size = op.Unsqueeze(largest_2, op.constant([-1], like="INT64"))
    mul_15 = op.Mul(relative, top)
    div = op.Div(absolute, size)
    max = op.Max(mul_15, div)
    is_kept = op.Greater(sizes, max)
    div_2 = op.Div(op.constant(1.0, like=self), squares)
    where_5 = op.Where(is_kept, div_2, op.constant(0.0, like=self))
    mul_16 = op.Mul(right_2, where_5)
    transpose_3 = op.Transpose(scaled, perm=swapped)
    mat_mul_3 = op.MatMul(mul_16, transpose_3)
    found = op.Div(mat_mul_3, size)

    def then_branch_2() -> Any:
        return op.Identity(found)

    def else_branch_2() -> Any:
        return op.Transpose(found, perm=swapped)

    return op.If(is_tall, then_branch=then_branch_2, else_branch=else_branch_2)


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
    spec="sha256:5eb8fc176cac6155a7c05f4c46f51086c1ad2813d660b0e95821a660bea91e68",
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
