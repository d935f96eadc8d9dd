"""aten::_convolution_mode: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: Any,
) -> Any:
    """aten::_convolution_mode in ONNX; `op` writes the nodes for the exporter that asks."""
    if padding == "same" and sum([1 if op.is_open(weight, 2 + i) else 0 for i in range(op.rank(weight) - 2)]) > 0:  # fmt: skip
        shape = op.Shape(weight)
        slice = op.Slice(shape, op.constant([2], like="INT64"), op.constant([9], like="INT64"))
        sub = op.Sub(slice, op.constant(1, like="INT64"))
        total = op.Mul(sub, op.constant(dilation, like="INT64"))
        div = op.Div(total, op.constant(2, like="INT64"))
        div_2 = op.Div(total, op.constant(2, like="INT64"))
        sub_2 = op.Sub(total, div_2)
        concat = op.Concat(
            op.constant([0, 0], like="INT64"),
            div,
            op.constant([0, 0], like="INT64"),
            sub_2,
            axis=0,
        )
        padded = op.Pad(input, concat)
        result_3 = op.Conv(padded, weight, bias, strides=stride, dilations=dilation, group=groups)
    else:
        result_3 = op.Conv(
            input,
            weight,
            bias,
            strides=stride,
            pads=[[dilation[i_2] * (op.size(weight, 2 + i_2) - 1) if padding == "same" else 0 for i_2 in range(op.rank(weight) - 2)][i_3] // 2 for i_3 in range(op.rank(weight) - 2)] + [[dilation[i_2] * (op.size(weight, 2 + i_2) - 1) if padding == "same" else 0 for i_2 in range(op.rank(weight) - 2)][i_4] - [dilation[i_2] * (op.size(weight, 2 + i_2) - 1) if padding == "same" else 0 for i_2 in range(op.rank(weight) - 2)][i_4] // 2 for i_4 in range(op.rank(weight) - 2)],
            dilations=dilation,
            group=groups,
        )  # fmt: skip
    return result_3


OP = _onnxop.Operator(
    name="aten::_convolution_mode.default",
    called="convolution_mode",
    existing="aten::_convolution_mode.default",
    rules={
        range(11, 26): rule,
    },
    torchscript=range(11, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="convolution_mode",
    doc="The operator aten::_convolution_mode.",
    spec="sha256:51560c8a361abe8c9c0393ba1538196a182d704e36ebaeebb73202c3efbd374a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._convolution_mode.default


@_onnxop.script.scripted(OP)
def convolution_mode(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: str,
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """The operator aten::_convolution_mode.

    Args:
        input: a tensor.
        weight: a tensor.
        bias: a tensor or None.
        stride: integers.
        padding: a string.
        dilation: integers.
        groups: an integer.

    Returns:
        What PyTorch's aten::_convolution_mode returns.
    """
    result: Tensor = _operator(
        input,
        weight,
        bias,
        stride,
        padding,
        dilation,
        groups,
    )
    return result


class ConvolutionMode(torch.nn.Module):
    """`convolution_mode` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        stride: Sequence[int],
        padding: str,
        dilation: Sequence[int],
        groups: int,
    ) -> None:
        super().__init__()
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.groups = groups

    def forward(
        self,
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None,
    ) -> Tensor:
        return convolution_mode(
            input,
            weight,
            bias,
            self.stride,
            self.padding,
            self.dilation,
            self.groups,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"stride={self.stride}",
                f"padding={self.padding}",
                f"dilation={self.dilation}",
                f"groups={self.groups}",
            ]
        )
