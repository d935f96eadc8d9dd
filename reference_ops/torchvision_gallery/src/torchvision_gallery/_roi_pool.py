"""torchvision::roi_pool: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_9(
    op: Any,
    input: Any,
    rois: Any,
    spatial_scale: Any,
    pooled_height: Any,
    pooled_width: Any,
) -> Any:
    """torchvision::roi_pool in ONNX; `op` writes the nodes for the exporter that asks."""
    best = op.MaxRoiPool(
        input,
        rois,
        pooled_shape=[pooled_height, pooled_width],
        spatial_scale=spatial_scale,
    )
    return best, None


def rule_22(
    op: Any,
    input: Any,
    rois: Any,
    spatial_scale: Any,
    pooled_height: Any,
    pooled_width: Any,
) -> Any:
    """torchvision::roi_pool in ONNX; `op` writes the nodes for the exporter that asks."""
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
    add_2 = op.Add(sub_2, op.constant(1.0, like=rois))
    sides = op.Max(add_2, op.constant(1.0, like=rois))
    div = op.Div(sides, op.constant([float(pooled_width), float(pooled_height)], like=rois))
    step = op.Unsqueeze(div, op.constant([2], like="INT64"))
    first_2 = op.Unsqueeze(first, op.constant([2], like="INT64"))
    numbers = [float(i) for i in range(max(pooled_width, pooled_height) + 1)]
    shape = op.Shape(input)
    gather = op.Gather(shape, op.constant([3, 2], like="INT64"))
    limit = op.Unsqueeze(gather, op.constant([1], like="INT64"))
    mul = op.Mul(step, op.constant(numbers[:-1], like=rois))
    floor = op.Floor(mul)
    add_3 = op.Add(floor, first_2)
    starts = op.Cast(add_3, to=7)
    min = op.Min(starts, limit)
    starts_2 = op.Max(min, op.constant(0, like="INT64"))
    mul_2 = op.Mul(step, op.constant(numbers[1:], like=rois))
    ceil = op.Ceil(mul_2)
    add_4 = op.Add(ceil, first_2)
    ends = op.Cast(add_4, to=7)
    min_2 = op.Min(ends, limit)
    max_2 = op.Max(min_2, op.constant(0, like="INT64"))
    counts = op.Sub(max_2, starts_2)
    gather_2 = op.Gather(starts_2, op.constant(0, like="INT64"), axis=1)
    slice_3 = op.Slice(
        gather_2,
        op.constant([0], like="INT64"),
        op.constant([pooled_width], like="INT64"),
        op.constant([1], like="INT64"),
    )
    left = op.Unsqueeze(slice_3, op.constant([1], like="INT64"))
    gather_3 = op.Gather(starts_2, op.constant(1, like="INT64"), axis=1)
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
    h = op.Gather(shape_2, op.constant(2, like="INT64"))
    shape_3 = op.Shape(input)
    w = op.Gather(shape_3, op.constant(3, like="INT64"))
    pixel_rows = op.Transpose(input, perm=[0, 2, 3, 1])
    shape_4 = op.Shape(input)
    gather_6 = op.Gather(shape_4, op.constant([1], like="INT64"))
    concat_3 = op.Concat(op.constant([-1], like="INT64"), gather_6, axis=0)
    rows = op.Reshape(pixel_rows, concat_3)
    slice_7 = op.Slice(
        rois,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([1], like="INT64"),
    )
    cast = op.Cast(slice_7, to=7)
    image = op.Unsqueeze(cast, op.constant([2], like="INT64"))
    mul_3 = op.Mul(image, h)
    add_5 = op.Add(mul_3, top)
    mul_4 = op.Mul(add_5, w)
    corner = op.Add(mul_4, left)
    less_or_equal = op.LessOrEqual(wide, op.constant(0, like="INT64"))
    less_or_equal_2 = op.LessOrEqual(high, op.constant(0, like="INT64"))
    or_2 = op.Or(less_or_equal, less_or_equal_2)
    is_empty = op.Unsqueeze(or_2, op.constant([3], like="INT64"))
    where_2 = op.Where(
        is_empty,
        op.constant(0.0, like="FLOAT"),
        op.constant(-3.4028234663852886e38, like="FLOAT"),
    )
    lowest = op.CastLike(where_2, input)
    shape_5 = op.Shape(corner)
    shape_6 = op.Shape(input)
    gather_7 = op.Gather(shape_6, op.constant([1], like="INT64"))
    sizes = op.Concat(shape_5, gather_7, axis=0)
    mul_5 = op.Mul(most_wide, most_high)
    expand = op.Expand(lowest, sizes)

    def pool(t: Any, keep: Any, best: Any) -> Any:
        y = op.Div(t, most_wide)
        mul_6 = op.Mul(y, most_wide)
        x = op.Sub(t, mul_6)
        less = op.Less(y, high)
        less_2 = op.Less(x, wide)
        is_there = op.And(less, less_2)
        mul_7 = op.Mul(y, w)
        add_6 = op.Add(corner, mul_7)
        add_7 = op.Add(add_6, x)
        where_3 = op.Where(is_there, add_7, op.constant(0, like="INT64"))
        pixels_2 = op.Gather(rows, where_3, axis=0)
        unsqueeze = op.Unsqueeze(is_there, op.constant([3], like="INT64"))
        greater = op.Greater(pixels_2, best)
        is_more = op.And(unsqueeze, greater)
        where_4 = op.Where(is_more, pixels_2, best)
        keep_2 = op.Identity(keep)
        return keep_2, where_4

    pooled = op.Loop(mul_5, op.constant(True, like="BOOL"), expand, body=pool)
    slice_8 = op.Slice(sizes, op.constant([0], like="INT64"), op.constant([1], like="INT64"))
    slice_9 = op.Slice(sizes, op.constant([3], like="INT64"), op.constant([4], like="INT64"))
    sizes_2 = op.Concat(
        slice_8,
        slice_9,
        op.constant([pooled_height, pooled_width], like="INT64"),
        axis=0,
    )
    transpose = op.Transpose(pooled, perm=[0, 3, 1, 2])
    best_2 = op.Reshape(transpose, sizes_2)
    return best_2, None


OP = _onnxop.Operator(
    name="torchvision::roi_pool.default",
    existing="torchvision::roi_pool.default",
    results=[
        "result0",
        "result1",
    ],
    left_out=[
        "result1",
    ],
    rules={
        range(9, 22): rule_9,
        range(22, 26): rule_22,
    },
    torchscript=range(9, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="torchvision_gallery",
    op_type="roi_pool",
    doc="The operator torchvision::roi_pool.",
    spec="sha256:56fe4a6ef6b2437fc105c63b083660e54a6d3041b44a44161b7dbaa7e890e290",
    requires=[
        "torchvision",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.torchvision.roi_pool.default


@_onnxop.script.scripted(OP)
def roi_pool(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
) -> tuple[Tensor, Tensor]:
    """The operator torchvision::roi_pool.

    Args:
        input: a tensor.
        rois: a tensor.
        spatial_scale: a float.
        pooled_height: an integer.
        pooled_width: an integer.

    Returns:
        What PyTorch's torchvision::roi_pool returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        input,
        rois,
        spatial_scale,
        pooled_height,
        pooled_width,
    )
    return result


class RoiPool(torch.nn.Module):
    """`roi_pool` as a module; what is no tensor is fixed."""

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
        return roi_pool(
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
