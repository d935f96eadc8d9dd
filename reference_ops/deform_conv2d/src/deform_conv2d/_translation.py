"""deform_conv2d::deform_conv2d in ONNX, as the dynamo exporter wants it: nodes written by onnxscript.

The exporter asks for it only where the call is still there: torch.export takes some operators
apart before (`aten::hardshrink`), and a number that is not of the tensor's type becomes a tensor,
so that another overload is called (`aten::lerp.Scalar`). No translation has a say in that.
"""

from __future__ import annotations

from typing import Any

from onnxscript import opset19

from deform_conv2d import _node

op: Any = opset19


def translation(
    input: Any,
    weight: Any,
    offset: Any,
    mask: Any,
    bias: Any,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> Any:
    if domain := _node.domain():
        return _node.dynamo(
            domain,
            input,
            weight,
            offset,
            mask,
            bias,
            stride_h=stride_h,
            stride_w=stride_w,
            pad_h=pad_h,
            pad_w=pad_w,
            dilation_h=dilation_h,
            dilation_w=dilation_w,
            groups=groups,
            offset_groups=offset_groups,
            use_mask=use_mask,
        )
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
