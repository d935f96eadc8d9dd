"""aten::_convolution: its rule in ONNX, and the function and module that call it."""

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
    transposed: Any,
    output_padding: Any,
    groups: Any,
    benchmark: Any,
    deterministic: Any,
    cudnn_enabled: Any,
    allow_tf32: Any,
) -> Any:
    """aten::_convolution in ONNX; `op` writes the nodes for the exporter that asks."""
    if not transposed:
        result_5 = op.Conv(
            input,
            weight,
            bias,
            strides=stride,
            pads=padding * 2,
            dilations=dilation,
            group=groups,
        )
    else:
        if sum([1 if output_padding[i] >= stride[i] else 0 for i in range(len(stride))]) == 0:
            result_4 = op.ConvTranspose(
                input,
                weight,
                bias,
                strides=stride,
                pads=padding * 2,
                dilations=dilation,
                output_padding=output_padding,
                group=groups,
            )
        else:
            y = op.ConvTranspose(
                input,
                weight,
                strides=stride,
                pads=list(padding) + [max(padding[i_2] - output_padding[i_2], 0) for i_2 in range(len(padding))],
                dilations=dilation,
                group=groups,
            )  # fmt: skip
            y_2 = op.Pad(
                y,
                op.constant([0] * (len(padding) + 4) + [max(output_padding[i_3] - padding[i_3], 0) for i_3 in range(len(padding))], like="INT64"),
            )  # fmt: skip
            if bias is None:
                result_3 = y_2
            else:
                reshape = op.Reshape(bias, op.constant([-1] + [1] * len(padding), like="INT64"))
                result_3 = op.Add(y_2, reshape)
            result_4 = result_3
        result_5 = result_4
    return result_5


OP = _onnxop.Operator(
    name="aten::_convolution.default",
    called="convolution",
    existing="aten::_convolution.default",
    rules={
        range(11, 26): rule,
    },
    torchscript=range(11, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="convolution",
    doc="The operator aten::_convolution.",
    spec="sha256:c9db31783a326928988df6168fae5dfb562b143637b01bb6fa0780d661cf4990",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._convolution.default


@_onnxop.script.scripted(OP)
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    benchmark: bool,
    deterministic: bool,
    cudnn_enabled: bool,
    allow_tf32: bool,
) -> Tensor:
    """The operator aten::_convolution.

    Args:
        input: a tensor.
        weight: a tensor.
        bias: a tensor or None.
        stride: integers.
        padding: integers.
        dilation: integers.
        transposed: a boolean.
        output_padding: integers.
        groups: an integer.
        benchmark: a boolean.
        deterministic: a boolean.
        cudnn_enabled: a boolean.
        allow_tf32: a boolean.

    Returns:
        What PyTorch's aten::_convolution returns.
    """
    result: Tensor = _operator(
        input,
        weight,
        bias,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        benchmark,
        deterministic,
        cudnn_enabled,
        allow_tf32,
    )
    return result


class Convolution(torch.nn.Module):
    """`convolution` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        transposed: bool,
        output_padding: Sequence[int],
        groups: int,
        benchmark: bool,
        deterministic: bool,
        cudnn_enabled: bool,
        allow_tf32: bool,
    ) -> None:
        super().__init__()
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.benchmark = benchmark
        self.deterministic = deterministic
        self.cudnn_enabled = cudnn_enabled
        self.allow_tf32 = allow_tf32

    def forward(
        self,
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None,
    ) -> Tensor:
        return convolution(
            input,
            weight,
            bias,
            self.stride,
            self.padding,
            self.dilation,
            self.transposed,
            self.output_padding,
            self.groups,
            self.benchmark,
            self.deterministic,
            self.cudnn_enabled,
            self.allow_tf32,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"stride={self.stride}",
                f"padding={self.padding}",
                f"dilation={self.dilation}",
                f"transposed={self.transposed}",
                f"output_padding={self.output_padding}",
                f"groups={self.groups}",
                f"benchmark={self.benchmark}",
                f"deterministic={self.deterministic}",
                f"cudnn_enabled={self.cudnn_enabled}",
                f"allow_tf32={self.allow_tf32}",
            ]
        )
