"""torchvision::deform_conv2d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(
    op: Any,
    input: Any,
    weight: Any,
    offset: Any,
    mask: Any,
    bias: Any,
    stride_h: Any,
    stride_w: Any,
    pad_h: Any,
    pad_w: Any,
    dilation_h: Any,
    dilation_w: Any,
    groups: Any,
    offset_groups: Any,
    use_mask: Any,
) -> Any:
    """torchvision::deform_conv2d in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(input)
    n = op.Gather(shape, op.constant([0], like="INT64"))
    shape_2 = op.Shape(input)
    channels = op.Gather(shape_2, op.constant([1], like="INT64"))
    shape_3 = op.Shape(input)
    h = op.Gather(shape_3, op.constant([2], like="INT64"))
    shape_4 = op.Shape(input)
    w = op.Gather(shape_4, op.constant([3], like="INT64"))
    shape_5 = op.Shape(offset)
    out = op.Slice(shape_5, op.constant([2], like="INT64"), op.constant([4], like="INT64"))
    concat = op.Concat(
        n,
        op.constant([offset_groups, op.size(weight, 2) * op.size(weight, 3), 2], like="INT64"),
        out,
        axis=0,
    )
    offsets = op.Reshape(offset, concat)
    gather = op.Gather(out, op.constant(0, like="INT64"))
    range_2 = op.Range(op.constant(0, like="INT64"), gather, op.constant(1, like="INT64"))
    unsqueeze = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
    rows = op.Mul(unsqueeze, op.constant(stride_h, like="INT64"))
    gather_2 = op.Gather(out, op.constant(1, like="INT64"))
    range_3 = op.Range(op.constant(0, like="INT64"), gather_2, op.constant(1, like="INT64"))
    columns = op.Mul(range_3, op.constant(stride_w, like="INT64"))
    down = [i // op.size(weight, 3) * dilation_h - pad_h for i in range(op.size(weight, 2) * op.size(weight, 3))]  # fmt: skip
    right = [i_2 % op.size(weight, 3) * dilation_w - pad_w for i_2 in range(op.size(weight, 2) * op.size(weight, 3))]  # fmt: skip
    gather_3 = op.Gather(offsets, op.constant(0, like="INT64"), axis=3)
    unsqueeze_2 = op.Unsqueeze(op.constant(down, like="INT64"), op.constant([1, 2], like="INT64"))
    add = op.Add(rows, unsqueeze_2)
    cast_like = op.CastLike(add, input)
    y = op.Add(gather_3, cast_like)
    gather_4 = op.Gather(offsets, op.constant(1, like="INT64"), axis=3)
    unsqueeze_3 = op.Unsqueeze(op.constant(right, like="INT64"), op.constant([1, 2], like="INT64"))
    add_2 = op.Add(columns, unsqueeze_3)
    cast_like_2 = op.CastLike(add_2, input)
    x = op.Add(gather_4, cast_like_2)
    high = op.CastLike(h, input)
    wide = op.CastLike(w, input)
    greater = op.Greater(y, op.constant(-1.0, like=offset))
    less = op.Less(y, high)
    and_2 = op.And(greater, less)
    greater_2 = op.Greater(x, op.constant(-1.0, like=offset))
    less_2 = op.Less(x, wide)
    and_3 = op.And(greater_2, less_2)
    is_within = op.And(and_2, and_3)
    y_2 = op.Where(is_within, y, op.constant(0.0, like=offset))
    x_2 = op.Where(is_within, x, op.constant(0.0, like=offset))
    each = op.Div(channels, op.constant(offset_groups, like="INT64"))
    mul = op.Mul(h, w)
    concat_2 = op.Concat(n, op.constant([offset_groups], like="INT64"), each, mul, axis=0)
    parts = op.Reshape(input, concat_2)
    transpose = op.Transpose(parts, perm=[0, 1, 3, 2])
    concat_3 = op.Concat(op.constant([-1], like="INT64"), each, axis=0)
    pixels = op.Reshape(transpose, concat_3)
    mul_2 = op.Mul(n, op.constant(offset_groups, like="INT64"))
    squeeze = op.Squeeze(mul_2, op.constant([0], like="INT64"))
    range_4 = op.Range(op.constant(0, like="INT64"), squeeze, op.constant(1, like="INT64"))
    mul_3 = op.Mul(h, w)
    first = op.Mul(range_4, mul_3)
    first_2 = op.Reshape(first, op.constant([-1, offset_groups, 1, 1, 1], like="INT64"))
    low_y = op.Floor(y_2)
    low_x = op.Floor(x_2)
    samples = op.CastLike(op.constant(0.0, like="FLOAT"), input)
    samples_2 = samples
    for i_3 in range(4):
        corner_y = op.Add(low_y, op.constant(float(i_3 // 2), like=offset))
        corner_x = op.Add(low_x, op.constant(float(i_3 % 2), like=offset))
        greater_or_equal = op.GreaterOrEqual(corner_y, op.constant(0.0, like=offset))
        less_3 = op.Less(corner_y, high)
        and_4 = op.And(greater_or_equal, less_3)
        is_there = op.And(is_within, and_4)
        greater_or_equal_2 = op.GreaterOrEqual(corner_x, op.constant(0.0, like=offset))
        less_4 = op.Less(corner_x, wide)
        and_5 = op.And(greater_or_equal_2, less_4)
        is_there_2 = op.And(is_there, and_5)
        cast = op.Cast(corner_y, to=7)
        mul_4 = op.Mul(cast, w)
        add_3 = op.Add(first_2, mul_4)
        cast_2 = op.Cast(corner_x, to=7)
        place = op.Add(add_3, cast_2)
        where = op.Where(is_there_2, place, op.constant(0, like="INT64"))
        value = op.Gather(pixels, where, axis=0)
        sub = op.Sub(y_2, corner_y)
        abs = op.Abs(sub)
        sub_2 = op.Sub(op.constant(1.0, like=offset), abs)
        sub_3 = op.Sub(x_2, corner_x)
        abs_2 = op.Abs(sub_3)
        sub_4 = op.Sub(op.constant(1.0, like=offset), abs_2)
        share = op.Mul(sub_2, sub_4)
        unsqueeze_4 = op.Unsqueeze(is_there_2, op.constant([5], like="INT64"))
        where_2 = op.Where(unsqueeze_4, value, op.constant(0.0, like=input))
        unsqueeze_5 = op.Unsqueeze(share, op.constant([5], like="INT64"))
        value_2 = op.Mul(where_2, unsqueeze_5)
        samples_3 = op.Add(samples_2, value_2)
        samples_2 = samples_3
    if use_mask:
        concat_4 = op.Concat(
            n,
            op.constant([offset_groups, op.size(weight, 2) * op.size(weight, 3)], like="INT64"),
            out,
            axis=0,
        )
        masks = op.Reshape(mask, concat_4)
        unsqueeze_6 = op.Unsqueeze(masks, op.constant([5], like="INT64"))
        samples_5 = op.Mul(samples_2, unsqueeze_6)
    else:
        samples_5 = samples_2
    samples_6 = op.Transpose(samples_5, perm=[0, 1, 5, 2, 3, 4])
    mul_5 = op.Mul(channels, op.constant(op.size(weight, 2) * op.size(weight, 3), like="INT64"))
    div = op.Div(mul_5, op.constant(groups, like="INT64"))
    gather_5 = op.Gather(out, op.constant([0], like="INT64"))
    gather_6 = op.Gather(out, op.constant([1], like="INT64"))
    mul_6 = op.Mul(gather_5, gather_6)
    concat_5 = op.Concat(n, op.constant([groups], like="INT64"), div, mul_6, axis=0)
    samples_7 = op.Reshape(samples_6, concat_5)
    weights = op.Reshape(
        weight,
        op.constant([groups, op.size(weight, 0) // groups, op.size(weight, 1) * (op.size(weight, 2) * op.size(weight, 3))], like="INT64"),
    )  # fmt: skip
    mat_mul = op.MatMul(weights, samples_7)
    concat_6 = op.Concat(n, op.constant([op.size(weight, 0)], like="INT64"), out, axis=0)
    y_3 = op.Reshape(mat_mul, concat_6)
    unsqueeze_7 = op.Unsqueeze(bias, op.constant([1, 2], like="INT64"))
    return op.Add(y_3, unsqueeze_7)


def rule_19(
    op: Any,
    input: Any,
    weight: Any,
    offset: Any,
    mask: Any,
    bias: Any,
    stride_h: Any,
    stride_w: Any,
    pad_h: Any,
    pad_w: Any,
    dilation_h: Any,
    dilation_w: Any,
    groups: Any,
    offset_groups: Any,
    use_mask: Any,
) -> Any:
    """torchvision::deform_conv2d in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.DeformConv(
        input,
        weight,
        offset,
        bias,
        mask if use_mask else None,
        strides=[stride_h, stride_w],
        pads=[pad_h, pad_w, pad_h, pad_w],
        dilations=[dilation_h, dilation_w],
        group=groups,
        offset_group=offset_groups,
    )


OP = _onnxop.Operator(
    name="torchvision::deform_conv2d.default",
    existing="torchvision::deform_conv2d.default",
    rules={
        range(15, 19): rule_15,
        range(19, 26): rule_19,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="torchvision_gallery",
    op_type="deform_conv2d",
    doc="Deformable convolution: a convolution whose samples lie at offsets, as in torchvision.",
    spec="sha256:1383c50031a0f51da4e4518074fc0930637074c3cd7cfbda0bcbb088c29d836f",
    requires=[
        "torchvision",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.torchvision.deform_conv2d.default


@_onnxop.script.scripted(OP)
def deform_conv2d(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor,
    bias: Tensor,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> Tensor:
    """Deformable convolution: a convolution whose samples lie at offsets, as in torchvision.

    Args:
        input: a tensor.
        weight: a tensor.
        offset: a tensor.
        mask: a tensor.
        bias: a tensor.
        stride_h: an integer.
        stride_w: an integer.
        pad_h: an integer.
        pad_w: an integer.
        dilation_h: an integer.
        dilation_w: an integer.
        groups: an integer.
        offset_groups: an integer.
        use_mask: a boolean.

    Returns:
        What PyTorch's torchvision::deform_conv2d returns.
    """
    result: Tensor = _operator(
        input,
        weight,
        offset,
        mask,
        bias,
        stride_h,
        stride_w,
        pad_h,
        pad_w,
        dilation_h,
        dilation_w,
        groups,
        offset_groups,
        use_mask,
    )
    return result


class DeformConv2d(torch.nn.Module):
    """`deform_conv2d` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        stride_h: int,
        stride_w: int,
        pad_h: int,
        pad_w: int,
        dilation_h: int,
        dilation_w: int,
        groups: int,
        offset_groups: int,
        use_mask: bool,
    ) -> None:
        super().__init__()
        self.stride_h = stride_h
        self.stride_w = stride_w
        self.pad_h = pad_h
        self.pad_w = pad_w
        self.dilation_h = dilation_h
        self.dilation_w = dilation_w
        self.groups = groups
        self.offset_groups = offset_groups
        self.use_mask = use_mask

    def forward(
        self,
        input: Tensor,
        weight: Tensor,
        offset: Tensor,
        mask: Tensor,
        bias: Tensor,
    ) -> Tensor:
        return deform_conv2d(
            input,
            weight,
            offset,
            mask,
            bias,
            self.stride_h,
            self.stride_w,
            self.pad_h,
            self.pad_w,
            self.dilation_h,
            self.dilation_w,
            self.groups,
            self.offset_groups,
            self.use_mask,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"stride_h={self.stride_h}",
                f"stride_w={self.stride_w}",
                f"pad_h={self.pad_h}",
                f"pad_w={self.pad_w}",
                f"dilation_h={self.dilation_h}",
                f"dilation_w={self.dilation_w}",
                f"groups={self.groups}",
                f"offset_groups={self.offset_groups}",
                f"use_mask={self.use_mask}",
            ]
        )
