"""gallery::linalg_lstsq: the operator, composed of PyTorch's own, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def _kernel(
    self: Tensor,
    b: Tensor,
    rcond: float | None = None,
    *,
    driver: str | None = None,
) -> tuple[Tensor, ...]:
    """gallery::linalg_lstsq itself, without its registration."""
    return torch.linalg.lstsq(self, b, rcond, driver=driver)


def _fake(
    self: Tensor,
    b: Tensor,
    rcond: float | None = None,
    *,
    driver: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What the kernel returns, without its values: shape, dtype and device."""
    m, n = self.shape[-2:]
    is_vector = b.dim() < self.dim()
    batch = self.shape[:-2]
    columns = [1] if is_vector else [b.shape[-1]]
    solution = self.new_empty([*batch, n] if is_vector else [*batch, n, *columns])
    has_them = driver is not None and driver != "gelsy" and m > n
    residuals = self.new_empty([*batch, *columns] if has_them else [0])
    counts = self.new_empty([0] if driver == "gels" else batch, dtype=torch.int64)
    values = self.new_empty([*batch, min(m, n)] if driver in ("gelsd", "gelss") else [0])
    return solution, residuals, counts, values


def rule(op: Any, self: Any, b: Any, rcond: Any, driver: Any) -> Any:
    """gallery::linalg_lstsq in ONNX; `op` writes the nodes for the exporter that asks."""
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

    def then_branch() -> Any:
        return op.Identity(self)

    def else_branch() -> Any:
        return op.Transpose(self, perm=swapped)

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
    left_2 = op.GatherElements(scaled, expand_3, axis=-1)
    tiny = op.Unsqueeze(sizes_2, op.constant([-2], like="INT64"))
    equal_7 = op.Equal(tiny, op.constant(0.0, like=self))
    div = op.Div(left_2, tiny)
    left_3 = op.Where(equal_7, op.constant(0.0, like=self), div)

    def then_branch_2() -> Any:
        left_4 = op.Identity(left_3)
        right_4 = op.Identity(right_3)
        return left_4, right_4

    def else_branch_2() -> Any:
        right_5 = op.Identity(right_3)
        left_5 = op.Identity(left_3)
        return right_5, left_5

    u, v = op.If(is_tall, then_branch=then_branch_2, else_branch=else_branch_2, _outputs=2)
    S = op.Mul(sizes_2, largest_2)
    if (driver if driver is not None else "gelsy") == "gels":
        limit_5 = op.CastLike(op.constant(0.0, like="FLOAT"), self)
    else:
        if rcond is not None and rcond >= 0.0:
            limit_4 = op.CastLike(op.constant(rcond, like="FLOAT"), self)
        else:
            cast_like_5 = op.CastLike(op.constant(4.0, like="FLOAT"), self)
            div_2 = op.Div(cast_like_5, op.constant(3.0, like=self))
            sub_8 = op.Sub(div_2, op.constant(1.0, like=self))
            mul_14 = op.Mul(op.constant(3.0, like=self), sub_8)
            sub_9 = op.Sub(mul_14, op.constant(1.0, like=self))
            abs_3 = op.Abs(sub_9)
            cast_like_6 = op.CastLike(rows, self)
            limit_4 = op.Mul(abs_3, cast_like_6)
        limit_5 = limit_4
    slice = op.Slice(
        S,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    mul_15 = op.Mul(limit_5, slice)
    is_kept = op.Greater(S, mul_15)
    div_3 = op.Div(op.constant(1.0, like=self), S)
    where_5 = op.Where(is_kept, div_3, op.constant(0.0, like=self))
    inverse = op.Unsqueeze(where_5, op.constant([-2], like="INT64"))
    if op.rank(b) < op.rank(self):
        other = op.Unsqueeze(b, op.constant([-1], like="INT64"))
    else:
        other = op.Identity(b)
    mul_16 = op.Mul(v, inverse)
    transpose_2 = op.Transpose(u, perm=swapped)
    mat_mul_4 = op.MatMul(transpose_2, other)
    solution = op.MatMul(mul_16, mat_mul_4)
    cast_like_7 = op.CastLike(op.constant(0.0, like="FLOAT"), self)
    nothing = op.Expand(cast_like_7, op.constant([0], like="INT64"))
    cast_like_8 = op.CastLike(op.constant(1.0, like="FLOAT"), self)
    concat_7 = op.Concat(columns, op.constant([1], like="INT64"), axis=0)
    units = op.Expand(cast_like_8, concat_7)
    cast_like_9 = op.CastLike(is_kept, self)
    unsqueeze_4 = op.Unsqueeze(cast_like_9, op.constant([-2], like="INT64"))
    mat_mul_5 = op.MatMul(unsqueeze_4, units)
    counts = op.Squeeze(mat_mul_5, op.constant([-2, -1], like="INT64"))
    counts_2 = op.Cast(counts, to=7)
    if (driver if driver is not None else "gelsy") == "gelsy":
        residuals_3 = op.Identity(nothing)
    else:
        mat_mul_6 = op.MatMul(self, solution)
        error = op.Sub(mat_mul_6, other)
        cast_like_10 = op.CastLike(op.constant(1.0, like="FLOAT"), self)
        concat_8 = op.Concat(op.constant([1], like="INT64"), m, axis=0)
        row = op.Expand(cast_like_10, concat_8)
        mul_17 = op.Mul(error, error)
        mat_mul_7 = op.MatMul(row, mul_17)
        sums = op.Squeeze(mat_mul_7, op.constant([-2], like="INT64"))
        has_them = op.Greater(m, n)
        if (driver if driver is not None else "gelsy") != "gels":
            reshape = op.Reshape(counts_2, op.constant([-1], like="INT64"))
            concat_9 = op.Concat(reshape, n, axis=0)
            least = op.ReduceMin(concat_9, keepdims=1)
            equal_8 = op.Equal(least, n)
            has_them_3 = op.And(has_them, equal_8)
        else:
            has_them_3 = has_them
        some = op.Squeeze(has_them_3, op.constant([0], like="INT64"))

        def then_branch_3() -> Any:
            return op.Identity(sums)

        def else_branch_3() -> Any:
            return op.Identity(nothing)

        residuals_3 = op.If(some, then_branch=then_branch_3, else_branch=else_branch_3)
    if op.rank(b) < op.rank(self):
        solution_2 = op.Squeeze(solution, op.constant([-1], like="INT64"))
    else:
        solution_2 = op.Identity(solution)
    if (driver if driver is not None else "gelsy") == "gels":
        rank_2 = op.Cast(nothing, to=7)
        result, result_2, result_3, result_4 = solution_2, residuals_3, rank_2, nothing
    else:
        result, result_2, result_3, result_4 = solution_2, residuals_3, counts_2, S if (driver if driver is not None else "gelsy") == "gelsd" or (driver if driver is not None else "gelsy") == "gelss" else nothing  # fmt: skip
    return result, result_2, result_3, result_4


OP = _onnxop.Operator(
    name="gallery::linalg_lstsq.default",
    existing="aten::linalg_lstsq.default",
    results=[
        "solution",
        "residuals",
        "rank",
        "singular_values",
    ],
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_lstsq",
    doc="The least-squares solution of a linear system; of a matrix that lacks rank, the smallest.",
    spec="sha256:82da75fe8448a81e139bd6c0aa53ad66d154900bd8afb4e8a1c8081d10861c1f",
    kernel=_kernel,
    reference=_kernel,
    fake=_fake,
)
_onnxop.composed.define(
    OP,
    "(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
    module=__file__,
)
_onnxop.rules.register(OP)


class LinalgLstsqFunction(_onnxop.autograd.Function):
    """`linalg_lstsq` with its gradients, and its symbolic for the TorchScript exporter.

    `linalg_lstsq` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _onnxop.autograd.mark_integers(ctx, output)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        gradients: list[Tensor | None] = [None] * 4
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return _onnxop.rules.symbolic(OP)(g, *arguments)


_operator = _onnxop.autograd.register(OP, LinalgLstsqFunction)


@_onnxop.script.scripted(OP)
def linalg_lstsq(
    self: Tensor,
    b: Tensor,
    rcond: float | None = None,
    *,
    driver: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The least-squares solution of a linear system; of a matrix that lacks rank, the smallest.

    Args:
        self: a tensor.
        b: a tensor.
        rcond: a float or None; None by default.
        driver: a string or None; None by default.

    Returns:
        solution, residuals, rank and singular_values: contiguous tensors, in a tuple.
    """
    result: tuple[Tensor, Tensor, Tensor, Tensor] = _operator(
        self,
        b,
        rcond,
        driver=driver,
    )
    return result


class LinalgLstsq(torch.nn.Module):
    """`linalg_lstsq` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        rcond: float | None = None,
        *,
        driver: str | None = None,
    ) -> None:
        super().__init__()
        self.rcond = rcond
        self.driver = driver

    def forward(
        self,
        input: Tensor,
        b: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return linalg_lstsq(
            input,
            b,
            self.rcond,
            driver=self.driver,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"rcond={self.rcond}",
                f"driver={self.driver}",
            ]
        )
