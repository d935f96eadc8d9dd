"""torchvision::roi_align: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(
    op: Any,
    input: Any,
    rois: Any,
    spatial_scale: Any,
    pooled_height: Any,
    pooled_width: Any,
    sampling_ratio: Any,
    aligned: Any,
) -> Any:
    """torchvision::roi_align in ONNX; `op` writes the nodes for the exporter that asks."""
    slice = op.Slice(
        rois,
        op.constant([1], like="INT64"),
        op.constant([5], like="INT64"),
        op.constant([1], like="INT64"),
    )
    mul = op.Mul(slice, op.constant(spatial_scale, like=rois))
    scaled = op.Sub(mul, op.constant(0.5 if aligned else 0.0, like=rois))
    first = op.Slice(
        scaled,
        op.constant([0], like="INT64"),
        op.constant([2], like="INT64"),
        op.constant([1], like="INT64"),
    )
    slice_2 = op.Slice(
        scaled,
        op.constant([2], like="INT64"),
        op.constant([4], like="INT64"),
        op.constant([1], like="INT64"),
    )
    sides = op.Sub(slice_2, first)
    if not aligned:
        sides_3 = op.Max(sides, op.constant(1.0, like=rois))
    else:
        sides_3 = sides
    step = op.Div(sides_3, op.constant([float(pooled_width), float(pooled_height)], like=rois))
    if sampling_ratio > 0:
        shape = op.Shape(step)
        constant_of_shape = op.ConstantOfShape(shape)
        cast_like = op.CastLike(constant_of_shape, step)
        counts_3 = op.Add(cast_like, op.constant(float(sampling_ratio), like=rois))
    else:
        counts_3 = op.Ceil(step)
    numbers = [float(i) for i in range(max(pooled_width, pooled_height))]
    unsqueeze = op.Unsqueeze(step, op.constant([2], like="INT64"))
    mul_2 = op.Mul(unsqueeze, op.constant(numbers, like=rois))
    unsqueeze_2 = op.Unsqueeze(first, op.constant([2], like="INT64"))
    starts = op.Add(mul_2, unsqueeze_2)
    gather = op.Gather(starts, op.constant(0, like="INT64"), axis=1)
    slice_3 = op.Slice(
        gather,
        op.constant([0], like="INT64"),
        op.constant([pooled_width], like="INT64"),
        op.constant([1], like="INT64"),
    )
    left = op.Unsqueeze(slice_3, op.constant([1], like="INT64"))
    gather_2 = op.Gather(starts, op.constant(1, like="INT64"), axis=1)
    slice_4 = op.Slice(
        gather_2,
        op.constant([0], like="INT64"),
        op.constant([pooled_height], like="INT64"),
        op.constant([1], like="INT64"),
    )
    top = op.Unsqueeze(slice_4, op.constant([2], like="INT64"))
    slice_5 = op.Slice(
        step,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([1], like="INT64"),
    )
    step_x = op.Unsqueeze(slice_5, op.constant([2], like="INT64"))
    slice_6 = op.Slice(
        step,
        op.constant([1], like="INT64"),
        op.constant([2], like="INT64"),
        op.constant([1], like="INT64"),
    )
    step_y = op.Unsqueeze(slice_6, op.constant([2], like="INT64"))
    slice_7 = op.Slice(
        counts_3,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([1], like="INT64"),
    )
    count_x = op.Unsqueeze(slice_7, op.constant([2], like="INT64"))
    slice_8 = op.Slice(
        counts_3,
        op.constant([1], like="INT64"),
        op.constant([2], like="INT64"),
        op.constant([1], like="INT64"),
    )
    count_y = op.Unsqueeze(slice_8, op.constant([2], like="INT64"))
    cast_like_2 = op.CastLike(op.constant([1.0], like="FLOAT"), input)
    one = op.Reshape(cast_like_2, op.constant([1, 1, 1], like="INT64"))
    greater_or_equal = op.GreaterOrEqual(count_x, op.constant(1.0, like=rois))
    where = op.Where(greater_or_equal, count_x, one)
    concat = op.Concat(one, where, axis=0)
    most_x = op.ReduceMax(concat, keepdims=0)
    greater_or_equal_2 = op.GreaterOrEqual(count_y, op.constant(1.0, like=rois))
    where_2 = op.Where(greater_or_equal_2, count_y, one)
    concat_2 = op.Concat(one, where_2, axis=0)
    most_y = op.ReduceMax(concat_2, keepdims=0)
    shape_2 = op.Shape(input)
    h = op.Gather(shape_2, op.constant([2], like="INT64"))
    shape_3 = op.Shape(input)
    w = op.Gather(shape_3, op.constant([3], like="INT64"))
    high = op.CastLike(h, input)
    wide = op.CastLike(w, input)
    slice_9 = op.Slice(
        rois,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([1], like="INT64"),
    )
    cast = op.Cast(slice_9, to=7)
    image = op.Unsqueeze(cast, op.constant([2], like="INT64"))
    shape_4 = op.Shape(input)
    channels = op.Gather(shape_4, op.constant([1], like="INT64"))
    last = op.Transpose(input, perm=[0, 2, 3, 1])
    concat_3 = op.Concat(op.constant([-1], like="INT64"), channels, axis=0)
    pixels = op.Reshape(last, concat_3)
    mul_3 = op.Mul(h, w)
    corner = op.Mul(image, mul_3)
    shape_5 = op.Shape(rois)
    k = op.Slice(shape_5, op.constant([0], like="INT64"), op.constant([1], like="INT64"))
    concat_4 = op.Concat(
        k,
        op.constant([pooled_height, pooled_width], like="INT64"),
        channels,
        axis=0,
    )
    none = op.ConstantOfShape(concat_4)
    mul_4 = op.Mul(most_x, most_y)
    rounds = op.Cast(mul_4, to=7)
    cast_like_3 = op.CastLike(none, input)

    def pool(t: Any, keep: Any, total: Any) -> Any:
        t_2 = op.CastLike(t, input)
        add = op.Add(t_2, op.constant(0.5, like=input))
        div = op.Div(add, most_x)
        i_2 = op.Floor(div)
        mul_5 = op.Mul(i_2, most_x)
        j = op.Sub(t_2, mul_5)
        add_2 = op.Add(i_2, op.constant(0.5, like=input))
        mul_6 = op.Mul(add_2, step_y)
        div_2 = op.Div(mul_6, count_y)
        y = op.Add(top, div_2)
        add_3 = op.Add(j, op.constant(0.5, like=input))
        mul_7 = op.Mul(add_3, step_x)
        div_3 = op.Div(mul_7, count_x)
        x = op.Add(left, div_3)
        greater_or_equal_3 = op.GreaterOrEqual(y, op.constant(-1.0, like=rois))
        less_or_equal = op.LessOrEqual(y, high)
        and_2 = op.And(greater_or_equal_3, less_or_equal)
        less = op.Less(i_2, count_y)
        within_y = op.And(and_2, less)
        greater_or_equal_4 = op.GreaterOrEqual(x, op.constant(-1.0, like=rois))
        less_or_equal_2 = op.LessOrEqual(x, wide)
        and_3 = op.And(greater_or_equal_4, less_or_equal_2)
        less_2 = op.Less(j, count_x)
        within_x = op.And(and_3, less_2)
        where_3 = op.Where(within_y, y, op.constant(0.0, like=rois))
        sub = op.Sub(high, op.constant(1.0, like=input))
        min = op.Min(where_3, sub)
        y_2 = op.Max(min, op.constant(0.0, like=rois))
        where_4 = op.Where(within_x, x, op.constant(0.0, like=rois))
        sub_2 = op.Sub(wide, op.constant(1.0, like=input))
        min_2 = op.Min(where_4, sub_2)
        x_2 = op.Max(min_2, op.constant(0.0, like=rois))
        low_y = op.Floor(y_2)
        low_x = op.Floor(x_2)
        sub_3 = op.Sub(y_2, low_y)
        more_y = op.Unsqueeze(sub_3, op.constant([3], like="INT64"))
        sub_4 = op.Sub(x_2, low_x)
        more_x = op.Unsqueeze(sub_4, op.constant([3], like="INT64"))
        less_y = op.Sub(op.constant(1.0, like=rois), more_y)
        less_x = op.Sub(op.constant(1.0, like=rois), more_x)
        cast_2 = op.Cast(low_y, to=7)
        row = op.Mul(cast_2, w)
        add_4 = op.Add(low_y, op.constant(1.0, like=rois))
        sub_5 = op.Sub(high, op.constant(1.0, like=input))
        min_3 = op.Min(add_4, sub_5)
        cast_3 = op.Cast(min_3, to=7)
        next_row = op.Mul(cast_3, w)
        column = op.Cast(low_x, to=7)
        add_5 = op.Add(low_x, op.constant(1.0, like=rois))
        sub_6 = op.Sub(wide, op.constant(1.0, like=input))
        min_4 = op.Min(add_5, sub_6)
        next_column = op.Cast(min_4, to=7)
        add_6 = op.Add(corner, row)
        add_7 = op.Add(add_6, column)
        gather_3 = op.Gather(pixels, add_7, axis=0)
        mul_8 = op.Mul(less_y, less_x)
        mul_9 = op.Mul(gather_3, mul_8)
        add_8 = op.Add(corner, row)
        add_9 = op.Add(add_8, next_column)
        gather_4 = op.Gather(pixels, add_9, axis=0)
        mul_10 = op.Mul(less_y, more_x)
        mul_11 = op.Mul(gather_4, mul_10)
        add_10 = op.Add(mul_9, mul_11)
        add_11 = op.Add(corner, next_row)
        add_12 = op.Add(add_11, column)
        gather_5 = op.Gather(pixels, add_12, axis=0)
        mul_12 = op.Mul(more_y, less_x)
        mul_13 = op.Mul(gather_5, mul_12)
        add_13 = op.Add(add_10, mul_13)
        add_14 = op.Add(corner, next_row)
        add_15 = op.Add(add_14, next_column)
        gather_6 = op.Gather(pixels, add_15, axis=0)
        mul_14 = op.Mul(more_y, more_x)
        mul_15 = op.Mul(gather_6, mul_14)
        sample = op.Add(add_13, mul_15)
        and_4 = op.And(within_y, within_x)
        is_there = op.Unsqueeze(and_4, op.constant([3], like="INT64"))
        where_5 = op.Where(is_there, sample, op.constant(0.0, like=input))
        add_16 = op.Add(total, where_5)
        keep_2 = op.Identity(keep)
        return keep_2, add_16

    total_2 = op.Loop(rounds, op.constant(True, like="BOOL"), cast_like_3, body=pool)
    mul_16 = op.Mul(count_y, count_x)
    count = op.Unsqueeze(mul_16, op.constant([3], like="INT64"))
    max_2 = op.Max(count, op.constant(1.0, like=rois))
    div_4 = op.Div(total_2, max_2)
    average = op.Transpose(div_4, perm=[0, 3, 1, 2])
    sizes = op.Concat(k, channels, op.constant([pooled_height, pooled_width], like="INT64"), axis=0)
    return op.Reshape(average, sizes)


def rule_16(
    op: Any,
    input: Any,
    rois: Any,
    spatial_scale: Any,
    pooled_height: Any,
    pooled_width: Any,
    sampling_ratio: Any,
    aligned: Any,
) -> Any:
    """torchvision::roi_align in ONNX; `op` writes the nodes for the exporter that asks."""
    boxes = op.Slice(
        rois,
        op.constant([1], like="INT64"),
        op.constant([5], like="INT64"),
        op.constant([1], like="INT64"),
    )
    slice = op.Slice(
        rois,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([1], like="INT64"),
    )
    squeeze = op.Squeeze(slice, op.constant([1], like="INT64"))
    images = op.Cast(squeeze, to=7)
    return op.RoiAlign(
        input,
        boxes,
        images,
        spatial_scale=spatial_scale,
        output_height=pooled_height,
        output_width=pooled_width,
        sampling_ratio=max(sampling_ratio, 0),
        coordinate_transformation_mode="half_pixel" if aligned else "output_half_pixel",
    )


def rule_22(
    op: Any,
    input: Any,
    rois: Any,
    spatial_scale: Any,
    pooled_height: Any,
    pooled_width: Any,
    sampling_ratio: Any,
    aligned: Any,
) -> Any:
    """torchvision::roi_align in ONNX; `op` writes the nodes for the exporter that asks."""
    slice = op.Slice(
        rois,
        op.constant([1], like="INT64"),
        op.constant([5], like="INT64"),
        op.constant([1], like="INT64"),
    )
    mul = op.Mul(slice, op.constant(spatial_scale, like=rois))
    scaled = op.Sub(mul, op.constant(0.5 if aligned else 0.0, like=rois))
    first = op.Slice(
        scaled,
        op.constant([0], like="INT64"),
        op.constant([2], like="INT64"),
        op.constant([1], like="INT64"),
    )
    slice_2 = op.Slice(
        scaled,
        op.constant([2], like="INT64"),
        op.constant([4], like="INT64"),
        op.constant([1], like="INT64"),
    )
    sides = op.Sub(slice_2, first)
    if not aligned:
        sides_3 = op.Max(sides, op.constant(1.0, like=rois))
    else:
        sides_3 = sides
    step = op.Div(sides_3, op.constant([float(pooled_width), float(pooled_height)], like=rois))
    if sampling_ratio > 0:
        shape = op.Shape(step)
        constant_of_shape = op.ConstantOfShape(shape)
        cast_like = op.CastLike(constant_of_shape, step)
        counts_3 = op.Add(cast_like, op.constant(float(sampling_ratio), like=rois))
    else:
        counts_3 = op.Ceil(step)
    numbers = [float(i) for i in range(max(pooled_width, pooled_height))]
    unsqueeze = op.Unsqueeze(step, op.constant([2], like="INT64"))
    mul_2 = op.Mul(unsqueeze, op.constant(numbers, like=rois))
    unsqueeze_2 = op.Unsqueeze(first, op.constant([2], like="INT64"))
    starts = op.Add(mul_2, unsqueeze_2)
    gather = op.Gather(starts, op.constant(0, like="INT64"), axis=1)
    slice_3 = op.Slice(
        gather,
        op.constant([0], like="INT64"),
        op.constant([pooled_width], like="INT64"),
        op.constant([1], like="INT64"),
    )
    left = op.Unsqueeze(slice_3, op.constant([1], like="INT64"))
    gather_2 = op.Gather(starts, op.constant(1, like="INT64"), axis=1)
    slice_4 = op.Slice(
        gather_2,
        op.constant([0], like="INT64"),
        op.constant([pooled_height], like="INT64"),
        op.constant([1], like="INT64"),
    )
    top = op.Unsqueeze(slice_4, op.constant([2], like="INT64"))
    slice_5 = op.Slice(
        step,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([1], like="INT64"),
    )
    step_x = op.Unsqueeze(slice_5, op.constant([2], like="INT64"))
    slice_6 = op.Slice(
        step,
        op.constant([1], like="INT64"),
        op.constant([2], like="INT64"),
        op.constant([1], like="INT64"),
    )
    step_y = op.Unsqueeze(slice_6, op.constant([2], like="INT64"))
    slice_7 = op.Slice(
        counts_3,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([1], like="INT64"),
    )
    count_x = op.Unsqueeze(slice_7, op.constant([2], like="INT64"))
    slice_8 = op.Slice(
        counts_3,
        op.constant([1], like="INT64"),
        op.constant([2], like="INT64"),
        op.constant([1], like="INT64"),
    )
    count_y = op.Unsqueeze(slice_8, op.constant([2], like="INT64"))
    cast_like_2 = op.CastLike(op.constant([1.0], like="FLOAT"), input)
    one = op.Reshape(cast_like_2, op.constant([1, 1, 1], like="INT64"))
    greater_or_equal = op.GreaterOrEqual(count_x, op.constant(1.0, like=rois))
    where = op.Where(greater_or_equal, count_x, one)
    concat = op.Concat(one, where, axis=0)
    most_x = op.ReduceMax(concat, keepdims=0)
    greater_or_equal_2 = op.GreaterOrEqual(count_y, op.constant(1.0, like=rois))
    where_2 = op.Where(greater_or_equal_2, count_y, one)
    concat_2 = op.Concat(one, where_2, axis=0)
    most_y = op.ReduceMax(concat_2, keepdims=0)
    shape_2 = op.Shape(input)
    h = op.Gather(shape_2, op.constant([2], like="INT64"))
    shape_3 = op.Shape(input)
    w = op.Gather(shape_3, op.constant([3], like="INT64"))
    high = op.CastLike(h, input)
    wide = op.CastLike(w, input)
    slice_9 = op.Slice(
        rois,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([1], like="INT64"),
    )
    cast = op.Cast(slice_9, to=7)
    image = op.Unsqueeze(cast, op.constant([2], like="INT64"))
    shape_4 = op.Shape(input)
    channels = op.Gather(shape_4, op.constant([1], like="INT64"))
    last = op.Transpose(input, perm=[0, 2, 3, 1])
    concat_3 = op.Concat(op.constant([-1], like="INT64"), channels, axis=0)
    pixels = op.Reshape(last, concat_3)
    mul_3 = op.Mul(h, w)
    corner = op.Mul(image, mul_3)
    shape_5 = op.Shape(rois)
    k = op.Slice(shape_5, op.constant([0], like="INT64"), op.constant([1], like="INT64"))
    concat_4 = op.Concat(
        k,
        op.constant([pooled_height, pooled_width], like="INT64"),
        channels,
        axis=0,
    )
    none = op.ConstantOfShape(concat_4)
    mul_4 = op.Mul(most_x, most_y)
    rounds = op.Cast(mul_4, to=7)
    cast_like_3 = op.CastLike(none, input)

    def pool(t: Any, keep: Any, total: Any) -> Any:
        t_2 = op.CastLike(t, input)
        add = op.Add(t_2, op.constant(0.5, like=input))
        div = op.Div(add, most_x)
        i_2 = op.Floor(div)
        mul_5 = op.Mul(i_2, most_x)
        j = op.Sub(t_2, mul_5)
        add_2 = op.Add(i_2, op.constant(0.5, like=input))
        mul_6 = op.Mul(add_2, step_y)
        div_2 = op.Div(mul_6, count_y)
        y = op.Add(top, div_2)
        add_3 = op.Add(j, op.constant(0.5, like=input))
        mul_7 = op.Mul(add_3, step_x)
        div_3 = op.Div(mul_7, count_x)
        x = op.Add(left, div_3)
        greater_or_equal_3 = op.GreaterOrEqual(y, op.constant(-1.0, like=rois))
        less_or_equal = op.LessOrEqual(y, high)
        and_2 = op.And(greater_or_equal_3, less_or_equal)
        less = op.Less(i_2, count_y)
        within_y = op.And(and_2, less)
        greater_or_equal_4 = op.GreaterOrEqual(x, op.constant(-1.0, like=rois))
        less_or_equal_2 = op.LessOrEqual(x, wide)
        and_3 = op.And(greater_or_equal_4, less_or_equal_2)
        less_2 = op.Less(j, count_x)
        within_x = op.And(and_3, less_2)
        where_3 = op.Where(within_y, y, op.constant(0.0, like=rois))
        sub = op.Sub(high, op.constant(1.0, like=input))
        min = op.Min(where_3, sub)
        y_2 = op.Max(min, op.constant(0.0, like=rois))
        where_4 = op.Where(within_x, x, op.constant(0.0, like=rois))
        sub_2 = op.Sub(wide, op.constant(1.0, like=input))
        min_2 = op.Min(where_4, sub_2)
        x_2 = op.Max(min_2, op.constant(0.0, like=rois))
        low_y = op.Floor(y_2)
        low_x = op.Floor(x_2)
        sub_3 = op.Sub(y_2, low_y)
        more_y = op.Unsqueeze(sub_3, op.constant([3], like="INT64"))
        sub_4 = op.Sub(x_2, low_x)
        more_x = op.Unsqueeze(sub_4, op.constant([3], like="INT64"))
        less_y = op.Sub(op.constant(1.0, like=rois), more_y)
        less_x = op.Sub(op.constant(1.0, like=rois), more_x)
        cast_2 = op.Cast(low_y, to=7)
        row = op.Mul(cast_2, w)
        add_4 = op.Add(low_y, op.constant(1.0, like=rois))
        sub_5 = op.Sub(high, op.constant(1.0, like=input))
        min_3 = op.Min(add_4, sub_5)
        cast_3 = op.Cast(min_3, to=7)
        next_row = op.Mul(cast_3, w)
        column = op.Cast(low_x, to=7)
        add_5 = op.Add(low_x, op.constant(1.0, like=rois))
        sub_6 = op.Sub(wide, op.constant(1.0, like=input))
        min_4 = op.Min(add_5, sub_6)
        next_column = op.Cast(min_4, to=7)
        add_6 = op.Add(corner, row)
        add_7 = op.Add(add_6, column)
        gather_3 = op.Gather(pixels, add_7, axis=0)
        mul_8 = op.Mul(less_y, less_x)
        mul_9 = op.Mul(gather_3, mul_8)
        add_8 = op.Add(corner, row)
        add_9 = op.Add(add_8, next_column)
        gather_4 = op.Gather(pixels, add_9, axis=0)
        mul_10 = op.Mul(less_y, more_x)
        mul_11 = op.Mul(gather_4, mul_10)
        add_10 = op.Add(mul_9, mul_11)
        add_11 = op.Add(corner, next_row)
        add_12 = op.Add(add_11, column)
        gather_5 = op.Gather(pixels, add_12, axis=0)
        mul_12 = op.Mul(more_y, less_x)
        mul_13 = op.Mul(gather_5, mul_12)
        add_13 = op.Add(add_10, mul_13)
        add_14 = op.Add(corner, next_row)
        add_15 = op.Add(add_14, next_column)
        gather_6 = op.Gather(pixels, add_15, axis=0)
        mul_14 = op.Mul(more_y, more_x)
        mul_15 = op.Mul(gather_6, mul_14)
        sample = op.Add(add_13, mul_15)
        and_4 = op.And(within_y, within_x)
        is_there = op.Unsqueeze(and_4, op.constant([3], like="INT64"))
        where_5 = op.Where(is_there, sample, op.constant(0.0, like=input))
        add_16 = op.Add(total, where_5)
        keep_2 = op.Identity(keep)
        return keep_2, add_16

    total_2 = op.Loop(rounds, op.constant(True, like="BOOL"), cast_like_3, body=pool)
    mul_16 = op.Mul(count_y, count_x)
    count = op.Unsqueeze(mul_16, op.constant([3], like="INT64"))
    max_2 = op.Max(count, op.constant(1.0, like=rois))
    div_4 = op.Div(total_2, max_2)
    average = op.Transpose(div_4, perm=[0, 3, 1, 2])
    sizes = op.Concat(k, channels, op.constant([pooled_height, pooled_width], like="INT64"), axis=0)
    return op.Reshape(average, sizes)


OP = _onnxop.Operator(
    name="torchvision::roi_align.default",
    existing="torchvision::roi_align.default",
    rules={
        range(15, 16): rule_15,
        range(16, 22): rule_16,
        range(22, 26): rule_22,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="torchvision_gallery",
    op_type="roi_align",
    doc="The operator torchvision::roi_align.",
    spec="sha256:2d5d4990fd453bcc2404039f5a49d0df226434c890afe11c0500defceb9b83f9",
    requires=[
        "torchvision",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.torchvision.roi_align.default


@_onnxop.script.scripted(OP)
def roi_align(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Tensor:
    """The operator torchvision::roi_align.

    Args:
        input: a tensor.
        rois: a tensor.
        spatial_scale: a float.
        pooled_height: an integer.
        pooled_width: an integer.
        sampling_ratio: an integer.
        aligned: a boolean.

    Returns:
        What PyTorch's torchvision::roi_align returns.
    """
    result: Tensor = _operator(
        input,
        rois,
        spatial_scale,
        pooled_height,
        pooled_width,
        sampling_ratio,
        aligned,
    )
    return result


class RoiAlign(torch.nn.Module):
    """`roi_align` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        spatial_scale: float,
        pooled_height: int,
        pooled_width: int,
        sampling_ratio: int,
        aligned: bool,
    ) -> None:
        super().__init__()
        self.spatial_scale = spatial_scale
        self.pooled_height = pooled_height
        self.pooled_width = pooled_width
        self.sampling_ratio = sampling_ratio
        self.aligned = aligned

    def forward(
        self,
        input: Tensor,
        rois: Tensor,
    ) -> Tensor:
        return roi_align(
            input,
            rois,
            self.spatial_scale,
            self.pooled_height,
            self.pooled_width,
            self.sampling_ratio,
            self.aligned,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"spatial_scale={self.spatial_scale}",
                f"pooled_height={self.pooled_height}",
                f"pooled_width={self.pooled_width}",
                f"sampling_ratio={self.sampling_ratio}",
                f"aligned={self.aligned}",
            ]
        )
