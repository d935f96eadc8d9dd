"""torchvision::ps_roi_pool: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    input: Any,
    rois: Any,
    spatial_scale: Any,
    pooled_height: Any,
    pooled_width: Any,
) -> Any:
    """torchvision::ps_roi_pool in ONNX; `op` writes the nodes for the exporter that asks."""
    slice = op.Slice(
        rois,
        op.constant([1], like="INT64"),
        op.constant([5], like="INT64"),
        op.constant([1], like="INT64"),
    )
    scaled = op.Mul(slice, op.constant(spatial_scale, like=rois))
    size = op.Abs(scaled)
    whole = op.Floor(size)
    sign = op.Sign(scaled)
    sub = op.Sub(size, whole)
    greater_or_equal = op.GreaterOrEqual(sub, op.constant(0.5, like=rois))
    add = op.Add(whole, op.constant(1.0, like=rois))
    where = op.Where(greater_or_equal, add, whole)
    pixels = op.Mul(sign, where)
    first = op.Slice(
        pixels,
        op.constant([0], like="INT64"),
        op.constant([2], like="INT64"),
        op.constant([1], like="INT64"),
    )
    slice_2 = op.Slice(
        pixels,
        op.constant([2], like="INT64"),
        op.constant([4], like="INT64"),
        op.constant([1], like="INT64"),
    )
    sub_2 = op.Sub(slice_2, first)
    sides = op.Max(sub_2, op.constant(1.0, like=rois))
    div = op.Div(sides, op.constant([float(pooled_width), float(pooled_height)], like=rois))
    step = op.Unsqueeze(div, op.constant([2], like="INT64"))
    first_2 = op.Unsqueeze(first, op.constant([2], like="INT64"))
    numbers = [float(i) for i in range(max(pooled_width, pooled_height) + 1)]
    shape = op.Shape(input)
    gather = op.Gather(shape, op.constant([3, 2], like="INT64"))
    sub_3 = op.Sub(gather, op.constant(1, like="INT64"))
    limit = op.Unsqueeze(sub_3, op.constant([1], like="INT64"))
    mul = op.Mul(step, op.constant(numbers[:-1], like=rois))
    floor = op.Floor(mul)
    add_2 = op.Add(floor, first_2)
    cast = op.Cast(add_2, to=7)
    max_2 = op.Max(cast, op.constant(0, like="INT64"))
    starts = op.Min(max_2, limit)
    mul_2 = op.Mul(step, op.constant(numbers[1:], like=rois))
    ceil = op.Ceil(mul_2)
    add_3 = op.Add(ceil, first_2)
    cast_2 = op.Cast(add_3, to=7)
    max_3 = op.Max(cast_2, op.constant(0, like="INT64"))
    ends = op.Min(max_3, limit)
    counts = op.Sub(ends, starts)
    gather_2 = op.Gather(starts, op.constant(0, like="INT64"), axis=1)
    slice_3 = op.Slice(
        gather_2,
        op.constant([0], like="INT64"),
        op.constant([pooled_width], like="INT64"),
        op.constant([1], like="INT64"),
    )
    left = op.Unsqueeze(slice_3, op.constant([1], like="INT64"))
    gather_3 = op.Gather(starts, op.constant(1, like="INT64"), axis=1)
    slice_4 = op.Slice(
        gather_3,
        op.constant([0], like="INT64"),
        op.constant([pooled_height], like="INT64"),
        op.constant([1], like="INT64"),
    )
    top = op.Unsqueeze(slice_4, op.constant([2], like="INT64"))
    gather_4 = op.Gather(counts, op.constant(0, like="INT64"), axis=1)
    slice_5 = op.Slice(
        gather_4,
        op.constant([0], like="INT64"),
        op.constant([pooled_width], like="INT64"),
        op.constant([1], like="INT64"),
    )
    wide = op.Unsqueeze(slice_5, op.constant([1], like="INT64"))
    gather_5 = op.Gather(counts, op.constant(1, like="INT64"), axis=1)
    slice_6 = op.Slice(
        gather_5,
        op.constant([0], like="INT64"),
        op.constant([pooled_height], like="INT64"),
        op.constant([1], like="INT64"),
    )
    high = op.Unsqueeze(slice_6, op.constant([2], like="INT64"))
    reshape = op.Reshape(wide, op.constant([-1], like="INT64"))
    concat = op.Concat(reshape, op.constant([1], like="INT64"), axis=0)
    most_wide = op.ReduceMax(concat, keepdims=0)
    reshape_2 = op.Reshape(high, op.constant([-1], like="INT64"))
    concat_2 = op.Concat(reshape_2, op.constant([1], like="INT64"), axis=0)
    most_high = op.ReduceMax(concat_2, keepdims=0)
    shape_2 = op.Shape(input)
    n = op.Gather(shape_2, op.constant([0], like="INT64"))
    shape_3 = op.Shape(input)
    gather_6 = op.Gather(shape_3, op.constant([1], like="INT64"))
    channels = op.Div(gather_6, op.constant(pooled_height * pooled_width, like="INT64"))
    shape_4 = op.Shape(input)
    h = op.Gather(shape_4, op.constant([2], like="INT64"))
    shape_5 = op.Shape(input)
    w = op.Gather(shape_5, op.constant([3], like="INT64"))
    concat_3 = op.Concat(
        n,
        channels,
        op.constant([pooled_height * pooled_width], like="INT64"),
        h,
        w,
        axis=0,
    )
    parts = op.Reshape(input, concat_3)
    transpose = op.Transpose(parts, perm=[0, 2, 3, 4, 1])
    concat_4 = op.Concat(op.constant([-1], like="INT64"), channels, axis=0)
    rows = op.Reshape(transpose, concat_4)
    slice_7 = op.Slice(
        rois,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([1], like="INT64"),
    )
    cast_3 = op.Cast(slice_7, to=7)
    image = op.Unsqueeze(cast_3, op.constant([2], like="INT64"))
    own = op.Reshape(
        op.constant(list(range(pooled_height * pooled_width)), like="INT64"),
        op.constant([pooled_height, pooled_width], like="INT64"),
    )
    mul_3 = op.Mul(image, op.constant(pooled_height * pooled_width, like="INT64"))
    add_4 = op.Add(mul_3, own)
    mul_4 = op.Mul(add_4, h)
    add_5 = op.Add(mul_4, top)
    mul_5 = op.Mul(add_5, w)
    corner = op.Add(mul_5, left)
    shape_6 = op.Shape(corner)
    concat_5 = op.Concat(shape_6, channels, axis=0)
    constant_of_shape = op.ConstantOfShape(concat_5)
    none = op.CastLike(constant_of_shape, input)
    mul_6 = op.Mul(most_wide, most_high)

    def pool(t: Any, keep: Any, total: Any) -> Any:
        y = op.Div(t, most_wide)
        mul_7 = op.Mul(y, most_wide)
        x = op.Sub(t, mul_7)
        less = op.Less(y, high)
        less_2 = op.Less(x, wide)
        is_there = op.And(less, less_2)
        mul_8 = op.Mul(y, w)
        add_6 = op.Add(corner, mul_8)
        add_7 = op.Add(add_6, x)
        where_2 = op.Where(is_there, add_7, op.constant(0, like="INT64"))
        pixels_2 = op.Gather(rows, where_2, axis=0)
        unsqueeze = op.Unsqueeze(is_there, op.constant([3], like="INT64"))
        where_3 = op.Where(unsqueeze, pixels_2, op.constant(0.0, like=input))
        add_8 = op.Add(total, where_3)
        keep_2 = op.Identity(keep)
        return keep_2, add_8

    total_2 = op.Loop(mul_6, op.constant(True, like="BOOL"), none, body=pool)
    greater = op.Greater(wide, op.constant(0, like="INT64"))
    greater_2 = op.Greater(high, op.constant(0, like="INT64"))
    and_2 = op.And(greater, greater_2)
    mul_9 = op.Mul(wide, high)
    where_4 = op.Where(and_2, mul_9, op.constant(1, like="INT64"))
    area = op.Unsqueeze(where_4, op.constant([3], like="INT64"))
    cast_like = op.CastLike(area, input)
    div_2 = op.Div(total_2, cast_like)
    average = op.Transpose(div_2, perm=[0, 3, 1, 2])
    shape_7 = op.Shape(rois)
    slice_8 = op.Slice(shape_7, op.constant([0], like="INT64"), op.constant([1], like="INT64"))
    sizes = op.Concat(
        slice_8,
        channels,
        op.constant([pooled_height, pooled_width], like="INT64"),
        axis=0,
    )
    result0 = op.Reshape(average, sizes)
    return result0, None


OP = _onnxop.Operator(
    name="torchvision::ps_roi_pool.default",
    existing="torchvision::ps_roi_pool.default",
    results=[
        "result0",
        "result1",
    ],
    left_out=[
        "result1",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="torchvision_gallery",
    op_type="ps_roi_pool",
    doc="The operator torchvision::ps_roi_pool.",
    spec="sha256:34409f9abc027c7b81113645de74639ff92a9387f79452b6c5b2ab9240190467",
    requires=[
        "torchvision",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.torchvision.ps_roi_pool.default


@_onnxop.script.scripted(OP)
def ps_roi_pool(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
) -> tuple[Tensor, Tensor]:
    """The operator torchvision::ps_roi_pool.

    Args:
        input: a tensor.
        rois: a tensor.
        spatial_scale: a float.
        pooled_height: an integer.
        pooled_width: an integer.

    Returns:
        What PyTorch's torchvision::ps_roi_pool returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        input,
        rois,
        spatial_scale,
        pooled_height,
        pooled_width,
    )
    return result


class PsRoiPool(torch.nn.Module):
    """`ps_roi_pool` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        spatial_scale: float,
        pooled_height: int,
        pooled_width: int,
    ) -> None:
        super().__init__()
        self.spatial_scale = spatial_scale
        self.pooled_height = pooled_height
        self.pooled_width = pooled_width

    def forward(
        self,
        input: Tensor,
        rois: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return ps_roi_pool(
            input,
            rois,
            self.spatial_scale,
            self.pooled_height,
            self.pooled_width,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"spatial_scale={self.spatial_scale}",
                f"pooled_height={self.pooled_height}",
                f"pooled_width={self.pooled_width}",
            ]
        )
