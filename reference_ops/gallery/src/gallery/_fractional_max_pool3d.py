"""aten::fractional_max_pool3d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, self: Any, kernel_size: Any, output_size: Any, random_samples: Any) -> Any:
    """aten::fractional_max_pool3d in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 5:
        x = op.Identity(self)
    else:
        x = op.Unsqueeze(self, op.constant([0], like="INT64"))
    shape = op.Shape(x)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape_2 = op.Shape(self)
    constant_2 = op.Constant(value_int=-3)
    t = op.Gather(shape_2, constant_2)
    sub = op.Sub(t, op.constant(kernel_size[0], like="INT64"))
    cast_like = op.CastLike(sub, self)
    alpha_t = op.Div(cast_like, op.constant(float(max(output_size[0] - 1, 1)), like=self))
    sample = op.Slice(
        random_samples,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([2], like="INT64"),
    )
    range = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[0], like="INT64"),
        op.constant(1, like="INT64"),
    )
    steps = op.CastLike(range, self)
    add = op.Add(steps, sample)
    mul = op.Mul(add, alpha_t)
    floor = op.Floor(mul)
    mul_2 = op.Mul(sample, alpha_t)
    floor_2 = op.Floor(mul_2)
    starts = op.Sub(floor, floor_2)
    range_2 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[0], like="INT64"),
        op.constant(1, like="INT64"),
    )
    is_last = op.Equal(range_2, op.constant(output_size[0] - 1, like="INT64"))
    sub_2 = op.Sub(t, op.constant(kernel_size[0], like="INT64"))
    cast = op.Cast(starts, to=7)
    starts_2 = op.Where(is_last, sub_2, cast)
    unsqueeze_2 = op.Unsqueeze(starts_2, op.constant([3], like="INT64"))
    range_3 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(kernel_size[0], like="INT64"),
        op.constant(1, like="INT64"),
    )
    within = op.Add(unsqueeze_2, range_3)
    t_places = op.Unsqueeze(within, op.constant([3, 4, 6, 7], like="INT64"))
    shape_3 = op.Shape(self)
    constant_3 = op.Constant(value_int=-2)
    h = op.Gather(shape_3, constant_3)
    sub_3 = op.Sub(h, op.constant(kernel_size[1], like="INT64"))
    cast_like_2 = op.CastLike(sub_3, self)
    alpha_h = op.Div(cast_like_2, op.constant(float(max(output_size[1] - 1, 1)), like=self))
    sample_2 = op.Slice(
        random_samples,
        op.constant([1], like="INT64"),
        op.constant([2], like="INT64"),
        op.constant([2], like="INT64"),
    )
    range_4 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[1], like="INT64"),
        op.constant(1, like="INT64"),
    )
    steps_2 = op.CastLike(range_4, self)
    add_2 = op.Add(steps_2, sample_2)
    mul_3 = op.Mul(add_2, alpha_h)
    floor_3 = op.Floor(mul_3)
    mul_4 = op.Mul(sample_2, alpha_h)
    floor_4 = op.Floor(mul_4)
    starts_3 = op.Sub(floor_3, floor_4)
    range_5 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[1], like="INT64"),
        op.constant(1, like="INT64"),
    )
    is_last_2 = op.Equal(range_5, op.constant(output_size[1] - 1, like="INT64"))
    sub_4 = op.Sub(h, op.constant(kernel_size[1], like="INT64"))
    cast_2 = op.Cast(starts_3, to=7)
    starts_4 = op.Where(is_last_2, sub_4, cast_2)
    unsqueeze_3 = op.Unsqueeze(starts_4, op.constant([3], like="INT64"))
    range_6 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(kernel_size[1], like="INT64"),
        op.constant(1, like="INT64"),
    )
    within_2 = op.Add(unsqueeze_3, range_6)
    h_places = op.Unsqueeze(within_2, op.constant([2, 4, 5, 7], like="INT64"))
    shape_4 = op.Shape(self)
    constant_4 = op.Constant(value_int=-1)
    w = op.Gather(shape_4, constant_4)
    sub_5 = op.Sub(w, op.constant(kernel_size[2], like="INT64"))
    cast_like_3 = op.CastLike(sub_5, self)
    alpha_w = op.Div(cast_like_3, op.constant(float(max(output_size[2] - 1, 1)), like=self))
    sample_3 = op.Slice(
        random_samples,
        op.constant([2], like="INT64"),
        op.constant([3], like="INT64"),
        op.constant([2], like="INT64"),
    )
    range_7 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[2], like="INT64"),
        op.constant(1, like="INT64"),
    )
    steps_3 = op.CastLike(range_7, self)
    add_3 = op.Add(steps_3, sample_3)
    mul_5 = op.Mul(add_3, alpha_w)
    floor_5 = op.Floor(mul_5)
    mul_6 = op.Mul(sample_3, alpha_w)
    floor_6 = op.Floor(mul_6)
    starts_5 = op.Sub(floor_5, floor_6)
    range_8 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[2], like="INT64"),
        op.constant(1, like="INT64"),
    )
    is_last_3 = op.Equal(range_8, op.constant(output_size[2] - 1, like="INT64"))
    sub_6 = op.Sub(w, op.constant(kernel_size[2], like="INT64"))
    cast_3 = op.Cast(starts_5, to=7)
    starts_6 = op.Where(is_last_3, sub_6, cast_3)
    unsqueeze_4 = op.Unsqueeze(starts_6, op.constant([3], like="INT64"))
    range_9 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(kernel_size[2], like="INT64"),
        op.constant(1, like="INT64"),
    )
    within_3 = op.Add(unsqueeze_4, range_9)
    w_places = op.Unsqueeze(within_3, op.constant([2, 3, 5, 6], like="INT64"))
    mul_7 = op.Mul(t_places, h)
    places = op.Add(mul_7, h_places)
    mul_8 = op.Mul(places, w)
    places_2 = op.Add(mul_8, w_places)
    mul_9 = op.Mul(t, h)
    mul_10 = op.Mul(mul_9, w)
    reshape = op.Reshape(mul_10, op.constant([1], like="INT64"))
    concat = op.Concat(outer, reshape, axis=0)
    planes = op.Reshape(x, concat)
    concat_2 = op.Concat(outer, op.constant([-1], like="INT64"), axis=0)
    reshape_2 = op.Reshape(places_2, concat_2)
    lines = op.GatherElements(planes, reshape_2, axis=2)
    shape_5 = op.Shape(places_2)
    windows = op.Reshape(lines, shape_5)
    equal = op.Equal(windows, windows)
    is_nan = op.Not(equal)
    clean = op.Where(is_nan, op.constant(0, like=self), windows)
    where = op.Where(is_nan, windows, op.constant(0, like=self))
    nan = op.ReduceSum(where, op.constant([5, 6, 7], like="INT64"), keepdims=1)
    is_whole = op.Equal(nan, op.constant(0, like=self))
    largest = op.ReduceMax(clean, axes=[5, 6, 7], keepdims=1)
    equal_2 = op.Equal(clean, largest)
    mul_11 = op.Mul(t, h)
    mul_12 = op.Mul(mul_11, w)
    where_2 = op.Where(equal_2, places_2, mul_12)
    equal_3 = op.ReduceMin(where_2, axes=[5, 6, 7], keepdims=1)
    where_3 = op.Where(is_nan, places_2, op.constant(-1, like="INT64"))
    nans = op.ReduceMax(where_3, axes=[5, 6, 7], keepdims=1)
    where_4 = op.Where(is_whole, largest, nan)
    values = op.Squeeze(where_4, op.constant([5, 6, 7], like="INT64"))
    where_5 = op.Where(is_whole, equal_3, nans)
    indices = op.Squeeze(where_5, op.constant([5, 6, 7], like="INT64"))
    if op.rank(self) == 5:
        result, result_2 = values, indices
    else:
        result0 = op.Squeeze(values, op.constant([0], like="INT64"))
        result1 = op.Squeeze(indices, op.constant([0], like="INT64"))
        result, result_2 = result0, result1
    return result, result_2


def rule_18(op: Any, self: Any, kernel_size: Any, output_size: Any, random_samples: Any) -> Any:
    """aten::fractional_max_pool3d in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 5:
        x = op.Identity(self)
    else:
        x = op.Unsqueeze(self, op.constant([0], like="INT64"))
    shape = op.Shape(x)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape_2 = op.Shape(self)
    constant_2 = op.Constant(value_int=-3)
    t = op.Gather(shape_2, constant_2)
    sub = op.Sub(t, op.constant(kernel_size[0], like="INT64"))
    cast_like = op.CastLike(sub, self)
    alpha_t = op.Div(cast_like, op.constant(float(max(output_size[0] - 1, 1)), like=self))
    sample = op.Slice(
        random_samples,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([2], like="INT64"),
    )
    range = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[0], like="INT64"),
        op.constant(1, like="INT64"),
    )
    steps = op.CastLike(range, self)
    add = op.Add(steps, sample)
    mul = op.Mul(add, alpha_t)
    floor = op.Floor(mul)
    mul_2 = op.Mul(sample, alpha_t)
    floor_2 = op.Floor(mul_2)
    starts = op.Sub(floor, floor_2)
    range_2 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[0], like="INT64"),
        op.constant(1, like="INT64"),
    )
    is_last = op.Equal(range_2, op.constant(output_size[0] - 1, like="INT64"))
    sub_2 = op.Sub(t, op.constant(kernel_size[0], like="INT64"))
    cast = op.Cast(starts, to=7)
    starts_2 = op.Where(is_last, sub_2, cast)
    unsqueeze_2 = op.Unsqueeze(starts_2, op.constant([3], like="INT64"))
    range_3 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(kernel_size[0], like="INT64"),
        op.constant(1, like="INT64"),
    )
    within = op.Add(unsqueeze_2, range_3)
    t_places = op.Unsqueeze(within, op.constant([3, 4, 6, 7], like="INT64"))
    shape_3 = op.Shape(self)
    constant_3 = op.Constant(value_int=-2)
    h = op.Gather(shape_3, constant_3)
    sub_3 = op.Sub(h, op.constant(kernel_size[1], like="INT64"))
    cast_like_2 = op.CastLike(sub_3, self)
    alpha_h = op.Div(cast_like_2, op.constant(float(max(output_size[1] - 1, 1)), like=self))
    sample_2 = op.Slice(
        random_samples,
        op.constant([1], like="INT64"),
        op.constant([2], like="INT64"),
        op.constant([2], like="INT64"),
    )
    range_4 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[1], like="INT64"),
        op.constant(1, like="INT64"),
    )
    steps_2 = op.CastLike(range_4, self)
    add_2 = op.Add(steps_2, sample_2)
    mul_3 = op.Mul(add_2, alpha_h)
    floor_3 = op.Floor(mul_3)
    mul_4 = op.Mul(sample_2, alpha_h)
    floor_4 = op.Floor(mul_4)
    starts_3 = op.Sub(floor_3, floor_4)
    range_5 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[1], like="INT64"),
        op.constant(1, like="INT64"),
    )
    is_last_2 = op.Equal(range_5, op.constant(output_size[1] - 1, like="INT64"))
    sub_4 = op.Sub(h, op.constant(kernel_size[1], like="INT64"))
    cast_2 = op.Cast(starts_3, to=7)
    starts_4 = op.Where(is_last_2, sub_4, cast_2)
    unsqueeze_3 = op.Unsqueeze(starts_4, op.constant([3], like="INT64"))
    range_6 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(kernel_size[1], like="INT64"),
        op.constant(1, like="INT64"),
    )
    within_2 = op.Add(unsqueeze_3, range_6)
    h_places = op.Unsqueeze(within_2, op.constant([2, 4, 5, 7], like="INT64"))
    shape_4 = op.Shape(self)
    constant_4 = op.Constant(value_int=-1)
    w = op.Gather(shape_4, constant_4)
    sub_5 = op.Sub(w, op.constant(kernel_size[2], like="INT64"))
    cast_like_3 = op.CastLike(sub_5, self)
    alpha_w = op.Div(cast_like_3, op.constant(float(max(output_size[2] - 1, 1)), like=self))
    sample_3 = op.Slice(
        random_samples,
        op.constant([2], like="INT64"),
        op.constant([3], like="INT64"),
        op.constant([2], like="INT64"),
    )
    range_7 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[2], like="INT64"),
        op.constant(1, like="INT64"),
    )
    steps_3 = op.CastLike(range_7, self)
    add_3 = op.Add(steps_3, sample_3)
    mul_5 = op.Mul(add_3, alpha_w)
    floor_5 = op.Floor(mul_5)
    mul_6 = op.Mul(sample_3, alpha_w)
    floor_6 = op.Floor(mul_6)
    starts_5 = op.Sub(floor_5, floor_6)
    range_8 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[2], like="INT64"),
        op.constant(1, like="INT64"),
    )
    is_last_3 = op.Equal(range_8, op.constant(output_size[2] - 1, like="INT64"))
    sub_6 = op.Sub(w, op.constant(kernel_size[2], like="INT64"))
    cast_3 = op.Cast(starts_5, to=7)
    starts_6 = op.Where(is_last_3, sub_6, cast_3)
    unsqueeze_4 = op.Unsqueeze(starts_6, op.constant([3], like="INT64"))
    range_9 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(kernel_size[2], like="INT64"),
        op.constant(1, like="INT64"),
    )
    within_3 = op.Add(unsqueeze_4, range_9)
    w_places = op.Unsqueeze(within_3, op.constant([2, 3, 5, 6], like="INT64"))
    mul_7 = op.Mul(t_places, h)
    places = op.Add(mul_7, h_places)
    mul_8 = op.Mul(places, w)
    places_2 = op.Add(mul_8, w_places)
    mul_9 = op.Mul(t, h)
    mul_10 = op.Mul(mul_9, w)
    reshape = op.Reshape(mul_10, op.constant([1], like="INT64"))
    concat = op.Concat(outer, reshape, axis=0)
    planes = op.Reshape(x, concat)
    concat_2 = op.Concat(outer, op.constant([-1], like="INT64"), axis=0)
    reshape_2 = op.Reshape(places_2, concat_2)
    lines = op.GatherElements(planes, reshape_2, axis=2)
    shape_5 = op.Shape(places_2)
    windows = op.Reshape(lines, shape_5)
    equal = op.Equal(windows, windows)
    is_nan = op.Not(equal)
    clean = op.Where(is_nan, op.constant(0, like=self), windows)
    where = op.Where(is_nan, windows, op.constant(0, like=self))
    nan = op.ReduceSum(where, op.constant([5, 6, 7], like="INT64"), keepdims=1)
    is_whole = op.Equal(nan, op.constant(0, like=self))
    largest = op.ReduceMax(clean, op.constant([5, 6, 7], like="INT64"), keepdims=1)
    equal_2 = op.Equal(clean, largest)
    mul_11 = op.Mul(t, h)
    mul_12 = op.Mul(mul_11, w)
    where_2 = op.Where(equal_2, places_2, mul_12)
    equal_3 = op.ReduceMin(where_2, op.constant([5, 6, 7], like="INT64"), keepdims=1)
    where_3 = op.Where(is_nan, places_2, op.constant(-1, like="INT64"))
    nans = op.ReduceMax(where_3, op.constant([5, 6, 7], like="INT64"), keepdims=1)
    where_4 = op.Where(is_whole, largest, nan)
    values = op.Squeeze(where_4, op.constant([5, 6, 7], like="INT64"))
    where_5 = op.Where(is_whole, equal_3, nans)
    indices = op.Squeeze(where_5, op.constant([5, 6, 7], like="INT64"))
    if op.rank(self) == 5:
        result, result_2 = values, indices
    else:
        result0 = op.Squeeze(values, op.constant([0], like="INT64"))
        result1 = op.Squeeze(indices, op.constant([0], like="INT64"))
        result, result_2 = result0, result1
    return result, result_2


OP = _onnxop.Operator(
    name="aten::fractional_max_pool3d.default",
    existing="aten::fractional_max_pool3d.default",
    results=[
        "result0",
        "result1",
    ],
    rules={
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="fractional_max_pool3d",
    doc="The operator aten::fractional_max_pool3d.",
    spec="sha256:570f0b235a51c1672617f163ade377ec996d386bff122487d3ae476e69c4caa1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fractional_max_pool3d.default


@_onnxop.script.scripted(OP)
def fractional_max_pool3d(
    self: Tensor,
    kernel_size: Sequence[int],
    output_size: Sequence[int],
    random_samples: Tensor,
) -> tuple[Tensor, Tensor]:
    """The operator aten::fractional_max_pool3d.

    Args:
        self: a tensor.
        kernel_size: 3 integers.
        output_size: 3 integers.
        random_samples: a tensor.

    Returns:
        What PyTorch's aten::fractional_max_pool3d returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        kernel_size,
        output_size,
        random_samples,
    )
    return result


class FractionalMaxPool3d(torch.nn.Module):
    """`fractional_max_pool3d` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        kernel_size: Sequence[int],
        output_size: Sequence[int],
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.output_size = output_size

    def forward(
        self,
        input: Tensor,
        random_samples: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return fractional_max_pool3d(
            input,
            self.kernel_size,
            self.output_size,
            random_samples,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"kernel_size={self.kernel_size}",
                f"output_size={self.output_size}",
            ]
        )
