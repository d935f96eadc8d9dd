"""aten::_upsample_bilinear2d_aa: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    input: Any,
    output_size: Any,
    align_corners: Any,
    scale_factors: Any,
) -> Any:
    """aten::_upsample_bilinear2d_aa in ONNX; `op` writes the nodes for the exporter that asks."""
    found = input
    for d in [1, 0]:
        shape = op.Shape(input)
        size = op.Gather(shape, op.constant(d + 2, like="INT64"))
        length = op.Cast(size, to=11)
        if output_size is not None:
            count_3 = op.Identity(op.constant(output_size[d], like="INT64"))
        else:
            mul = op.Mul(
                length,
                op.constant((scale_factors if scale_factors is not None else [0.0, 0.0])[d], like="DOUBLE"),
            )  # fmt: skip
            floor = op.Floor(mul)
            count_3 = op.Cast(floor, to=7)
        counted = op.Cast(count_3, to=11)
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
            if output_size is None:
                step_4 = op.CastLike(
                    op.constant(1.0 / (scale_factors if scale_factors is not None else [0.0, 0.0])[d], like="FLOAT"),
                    length,
                )  # fmt: skip
            else:
                step_4 = op.Div(length, counted)
            step_5 = step_4
        cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), step_5)
        width = op.Max(step_5, cast_like)
        range_2 = op.Range(op.constant(0, like="INT64"), count_3, op.constant(1, like="INT64"))
        cast = op.Cast(range_2, to=11)
        add = op.Add(cast, op.constant(0.5, like="DOUBLE"))
        mul_2 = op.Mul(add, step_5)
        centers = op.Unsqueeze(mul_2, op.constant([1], like="INT64"))
        range_3 = op.Range(op.constant(0, like="INT64"), size, op.constant(1, like="INT64"))
        cast_2 = op.Cast(range_3, to=11)
        places = op.Add(cast_2, op.constant(0.5, like="DOUBLE"))
        sub_4 = op.Sub(places, centers)
        abs = op.Abs(sub_4)
        away = op.Div(abs, width)
        sub_5 = op.Sub(op.constant(1.0, like="DOUBLE"), away)
        cast_like_2 = op.CastLike(op.constant(0.0, like="FLOAT"), away)
        near = op.Max(sub_5, cast_like_2)
        reduce_sum = op.ReduceSum(near, op.constant([1], like="INT64"), keepdims=1)
        weights = op.Div(near, reduce_sum)
        if op.is_floating_point(input):
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
            mul_3 = op.Mul(reduce_max, bits)
            add_2 = op.Add(mul_3, op.constant(0.5, like="DOUBLE"))
            floor_2 = op.Floor(add_2)
            fits = op.Less(floor_2, op.constant(32768.0, like="DOUBLE"))
            cast_like_3 = op.CastLike(op.constant(2.0, like="FLOAT"), bits)
            cast_3 = op.Cast(fits, to=11)
            reduce_sum_2 = op.ReduceSum(cast_3, op.constant([0], like="INT64"), keepdims=1)
            unit = op.Pow(cast_like_3, reduce_sum_2)
            sign = op.Sign(weights)
            abs_2 = op.Abs(weights)
            mul_4 = op.Mul(abs_2, unit)
            add_3 = op.Add(mul_4, op.constant(0.5, like="DOUBLE"))
            floor_3 = op.Floor(add_3)
            weights_3 = op.Mul(sign, floor_3)
            whole = op.Cast(found, to=11)
            if d == 0:
                whole_2 = op.MatMul(weights_3, whole)
            else:
                transpose_2 = op.Transpose(weights_3, perm=[1, 0])
                whole_2 = op.MatMul(whole, transpose_2)
            div_2 = op.Div(whole_2, unit)
            add_4 = op.Add(div_2, op.constant(0.5, like="DOUBLE"))
            floor_4 = op.Floor(add_4)
            max_2 = op.Max(floor_4, op.constant(0.0, like="DOUBLE"))
            min = op.Min(max_2, op.constant(255.0, like="DOUBLE"))
            found_4 = op.CastLike(min, found)
        found = found_4
    return found


OP = _onnxop.Operator(
    name="aten::_upsample_bilinear2d_aa.vec",
    called="upsample_bilinear2d_aa",
    existing="aten::_upsample_bilinear2d_aa.vec",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="upsample_bilinear2d_aa",
    doc="The operator aten::_upsample_bilinear2d_aa.vec.",
    spec="sha256:96dc098f9a053e8c16795e84962cd191a7c8c9ae47aba3505b143b17e3168951",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._upsample_bilinear2d_aa.vec


@_onnxop.script.scripted(OP)
def upsample_bilinear2d_aa(
    input: Tensor,
    output_size: Sequence[int] | None,
    align_corners: bool,
    scale_factors: Sequence[float] | None,
) -> Tensor:
    """The operator aten::_upsample_bilinear2d_aa.vec.

    Args:
        input: a tensor.
        output_size: integers or None.
        align_corners: a boolean.
        scale_factors: floats or None.

    Returns:
        What PyTorch's aten::_upsample_bilinear2d_aa returns.
    """
    result: Tensor = _operator(
        input,
        output_size,
        align_corners,
        scale_factors,
    )
    return result


class UpsampleBilinear2dAa(torch.nn.Module):
    """`upsample_bilinear2d_aa` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        output_size: Sequence[int] | None,
        align_corners: bool,
        scale_factors: Sequence[float] | None,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.align_corners = align_corners
        self.scale_factors = scale_factors

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return upsample_bilinear2d_aa(
            input,
            self.output_size,
            self.align_corners,
            self.scale_factors,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
                f"align_corners={self.align_corners}",
                f"scale_factors={self.scale_factors}",
            ]
        )
