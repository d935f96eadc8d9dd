"""deform_conv2d::deform_conv2d in ONNX, as the TorchScript exporter wants it: nodes written by ``g.op``.

TorchScript has no overloads, so it asks this rule for all of them, and it renames some operators
before it asks (`aten::det` to `aten::linalg_det`): the rule of that name holds then.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.onnx import symbolic_helper

from deform_conv2d import _library, _node


def _omitted(g: Any) -> torch.Value:
    """An optional input that is left out; a bare None would end the process."""
    nothing: torch.Value = g.op("prim::Constant")
    nothing.setType(torch._C.OptionalType.ofTensor())
    return nothing


@symbolic_helper.parse_args("v", "v", "v", "v", "v", "i", "i", "i", "i", "i", "i", "i", "i", "b")
def symbolic(
    g: Any,
    input: torch.Value,
    weight: torch.Value,
    offset: torch.Value,
    mask: torch.Value,
    bias: torch.Value,
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
        return _node.torchscript(
            g,
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
    return g.op(
        "DeformConv",
        input,
        weight,
        offset,
        bias,
        mask if use_mask else _omitted(g),
        strides_i=[stride_h, stride_w],
        pads_i=[pad_h, pad_w, pad_h, pad_w],
        dilations_i=[dilation_h, dilation_w],
        group_i=groups,
        offset_group_i=offset_groups,
    )


_register: Any = torch.onnx.register_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_unregister: Any = torch.onnx.unregister_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_TARGETS = ["deform_conv2d::deform_conv2d", "torchvision::deform_conv2d"]
OPSETS = range(19, 24)


def register(opset: int) -> None:
    """At one opset: PyTorch's own rules win from the opset on at which they are registered."""
    for target in _TARGETS:
        _register(target, symbolic, opset)


def unregister(opset: int) -> None:
    for target in _TARGETS:
        _unregister(target, opset)


_library.load()  # whose modules may register rules of their own, which these replace
for _opset in OPSETS:
    register(_opset)
