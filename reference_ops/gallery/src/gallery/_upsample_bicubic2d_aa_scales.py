"""aten::_upsample_bicubic2d_aa: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    output_size: Any,
    align_corners: Any,
    scales_h: Any,
    scales_w: Any,
) -> Any:
    """aten::_upsample_bicubic2d_aa in ONNX; `op` writes the nodes for the exporter that asks."""
    found = self
    for d in [1, 0]:
        shape = op.Shape(self)
        size = op.Gather(shape, op.constant(d + 2, like="INT64"))
        length = op.Cast(size, to=11)
        count = op.Identity(op.constant(output_size[d], like="INT64"))
        counted = op.Cast(count, to=11)
        if align_corners:
            one = op.CastLike(op.constant(1.0, like="FLOAT"), length)
            greater = op.Greater(counted, one)
            sub = op.Sub(length, one)
            sub_2 = op.Sub(counted, one)
            max = op.Max(sub_2, one)
            div = op.Div(sub, max)
            sub_3 = op.Sub(one, one)
            step_5 = op.Where(greater, div, sub_3)
        else:
            if [scales_h if scales_h is not None else 0.0, scales_w if scales_w is not None else 0.0][d] > 0.0:  # fmt: skip
                step_4 = op.CastLike(
                    op.constant(1.0 / [scales_h if scales_h is not None else 0.0, scales_w if scales_w is not None else 0.0][d], like="FLOAT"),
                    length,
                )  # fmt: skip
            else:
                step_4 = op.Div(length, counted)
            step_5 = step_4
        cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), step_5)
        width = op.Max(step_5, cast_like)
        range_2 = op.Range(op.constant(0, like="INT64"), count, op.constant(1, like="INT64"))
        cast = op.Cast(range_2, to=11)
        add = op.Add(cast, op.constant(0.5, like="DOUBLE"))
        mul = op.Mul(add, step_5)
        centers = op.Unsqueeze(mul, op.constant([1], like="INT64"))
        range_3 = op.Range(op.constant(0, like="INT64"), size, op.constant(1, like="INT64"))
        cast_2 = op.Cast(range_3, to=11)
        places = op.Add(cast_2, op.constant(0.5, like="DOUBLE"))
        sub_4 = op.Sub(places, centers)
        abs = op.Abs(sub_4)
        away = op.Div(abs, width)
        mul_2 = op.Mul(op.constant(1.5, like="DOUBLE"), away)
        sub_5 = op.Sub(mul_2, op.constant(2.5, like="DOUBLE"))
        mul_3 = op.Mul(sub_5, away)
        mul_4 = op.Mul(mul_3, away)
        inner = op.Add(mul_4, op.constant(1.0, like="DOUBLE"))
        sub_6 = op.Sub(away, op.constant(5.0, like="DOUBLE"))
        mul_5 = op.Mul(sub_6, away)
        add_2 = op.Add(mul_5, op.constant(8.0, like="DOUBLE"))
        mul_6 = op.Mul(add_2, away)
        sub_7 = op.Sub(mul_6, op.constant(4.0, like="DOUBLE"))
        outer = op.Mul(op.constant(-0.5, like="DOUBLE"), sub_7)
        less = op.Less(away, op.constant(1.0, like="DOUBLE"))
        less_2 = op.Less(away, op.constant(2.0, like="DOUBLE"))
        cast_like_2 = op.CastLike(op.constant(0.0, like="FLOAT"), away)
        where = op.Where(less_2, outer, cast_like_2)
        near = op.Where(less, inner, where)
        reduce_sum = op.ReduceSum(near, op.constant([1], like="INT64"), keepdims=1)
        weights = op.Div(near, reduce_sum)
        if op.is_floating_point(self):
            weights_2 = op.CastLike(weights, found)
            if d == 0:
                found_2 = op.MatMul(weights_2, found)
            else:
                transpose = op.Transpose(weights_2, perm=[1, 0])
                found_2 = op.MatMul(found, transpose)
            found_4 = found_2
        else:
            constant_2 = op.Constant(value_floats=[2.0**e for e in range(1, 23)])
            bits = op.Cast(constant_2, to=11)
            reduce_max = op.ReduceMax(weights, keepdims=0)
            mul_7 = op.Mul(reduce_max, bits)
            add_3 = op.Add(mul_7, op.constant(0.5, like="DOUBLE"))
            floor = op.Floor(add_3)
            fits = op.Less(floor, op.constant(32768.0, like="DOUBLE"))
            cast_like_3 = op.CastLike(op.constant(2.0, like="FLOAT"), bits)
            cast_3 = op.Cast(fits, to=11)
            reduce_sum_2 = op.ReduceSum(cast_3, op.constant([0], like="INT64"), keepdims=1)
            unit = op.Pow(cast_like_3, reduce_sum_2)
            sign = op.Sign(weights)
            abs_2 = op.Abs(weights)
            mul_8 = op.Mul(abs_2, unit)
            add_4 = op.Add(mul_8, op.constant(0.5, like="DOUBLE"))
            floor_2 = op.Floor(add_4)
            weights_3 = op.Mul(sign, floor_2)
            whole = op.Cast(found, to=11)
            if d == 0:
                whole_2 = op.MatMul(weights_3, whole)
            else:
                transpose_2 = op.Transpose(weights_3, perm=[1, 0])
                whole_2 = op.MatMul(whole, transpose_2)
            div_2 = op.Div(whole_2, unit)
            add_5 = op.Add(div_2, op.constant(0.5, like="DOUBLE"))
            floor_3 = op.Floor(add_5)
            max_2 = op.Max(floor_3, op.constant(0.0, like="DOUBLE"))
            min = op.Min(max_2, op.constant(255.0, like="DOUBLE"))
            found_4 = op.CastLike(min, found)
        found = found_4
    return found


OP = _onnxop.Operator(
    name="aten::_upsample_bicubic2d_aa.default",
    called="upsample_bicubic2d_aa_scales",
    existing="aten::_upsample_bicubic2d_aa.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="upsample_bicubic2d_aa_scales",
    doc="The operator aten::_upsample_bicubic2d_aa.",
    spec="sha256:9c6e9f102e9c6ccc1d7f9031bb1ba0116db749cca44f2f0b4958be419a191ed8",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._upsample_bicubic2d_aa.default


@_onnxop.script.scripted(OP)
def upsample_bicubic2d_aa_scales(
    self: Tensor,
    output_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """The operator aten::_upsample_bicubic2d_aa.

    Args:
        self: a tensor.
        output_size: 2 integers.
        align_corners: a boolean.
        scales_h: a float or None; None by default.
        scales_w: a float or None; None by default.

    Returns:
        What PyTorch's aten::_upsample_bicubic2d_aa returns.
    """
    result: Tensor = _operator(
        self,
        output_size,
        align_corners,
        scales_h,
        scales_w,
    )
    return result


class UpsampleBicubic2dAaScales(torch.nn.Module):
    """`upsample_bicubic2d_aa_scales` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        output_size: Sequence[int],
        align_corners: bool,
        scales_h: float | None = None,
        scales_w: float | None = None,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.align_corners = align_corners
        self.scales_h = scales_h
        self.scales_w = scales_w

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return upsample_bicubic2d_aa_scales(
            input,
            self.output_size,
            self.align_corners,
            self.scales_h,
            self.scales_w,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
                f"align_corners={self.align_corners}",
                f"scales_h={self.scales_h}",
                f"scales_w={self.scales_w}",
            ]
        )
