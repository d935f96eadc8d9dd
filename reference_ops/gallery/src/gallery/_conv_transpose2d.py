"""aten::conv_transpose2d: its rule in ONNX, and the function and module that call it."""

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
    output_padding: Any,
    groups: Any,
    dilation: Any,
) -> Any:
    """aten::conv_transpose2d in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(input) == 4:
        x = op.Identity(input)
    else:
        x = op.Unsqueeze(input, op.constant([0], like="INT64"))
    by = [stride[i % len(stride)] for i in range(2)]
    pads = [padding[i_2 % len(padding)] for i_2 in range(2)]
    more = [output_padding[i_3 % len(output_padding)] for i_3 in range(2)]
    dilations = [dilation[i_4 % len(dilation)] for i_4 in range(2)]
    if sum([1 if more[i_5] >= by[i_5] else 0 for i_5 in range(2)]) == 0:
        y_6 = op.ConvTranspose(
            x,
            weight,
            bias,
            strides=by,
            pads=pads * 2,
            dilations=dilations,
            output_padding=more,
            group=groups,
        )
    else:
        y_2 = op.ConvTranspose(
            x,
            weight,
            strides=by,
            pads=list(pads) + [max(pads[i_6] - more[i_6], 0) for i_6 in range(2)],
            dilations=dilations,
            group=groups,
        )
        y_3 = op.Pad(
            y_2,
            op.constant([0] * 6 + [max(more[i_7] - pads[i_7], 0) for i_7 in range(2)], like="INT64"),
        )  # fmt: skip
        if bias is not None:
            reshape = op.Reshape(bias, op.constant([-1] + [1] * 2, like="INT64"))
            y_5 = op.Add(y_3, reshape)
        else:
            y_5 = y_3
        y_6 = y_5
    if op.rank(input) == 4:
        result = y_6
    else:
        result = op.Squeeze(y_6, op.constant([0], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="aten::conv_transpose2d.input",
    called="conv_transpose2d",
    existing="aten::conv_transpose2d.input",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="conv_transpose2d",
    doc="The operator aten::conv_transpose2d.input.",
    spec="sha256:4dfc6bb8cdf5172661c105d540040bfe4c3be24dcfa218ede9deb9f705b9a437",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.conv_transpose2d.input


@_onnxop.script.scripted(OP)
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    output_padding: Sequence[int] = (0, 0),
    groups: int = 1,
    dilation: Sequence[int] = (1, 1),
) -> Tensor:
    """The operator aten::conv_transpose2d.input.

    Args:
        input: a tensor.
        weight: a tensor.
        bias: a tensor or None; None by default.
        stride: 2 integers; (1, 1) by default.
        padding: 2 integers; (0, 0) by default.
        output_padding: 2 integers; (0, 0) by default.
        groups: an integer; 1 by default.
        dilation: 2 integers; (1, 1) by default.

    Returns:
        What PyTorch's aten::conv_transpose2d returns.
    """
    result: Tensor = _operator(
        input,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        groups,
        dilation,
    )
    return result


class ConvTranspose2d(torch.nn.Module):
    """`conv_transpose2d` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        stride: Sequence[int] = (1, 1),
        padding: Sequence[int] = (0, 0),
        output_padding: Sequence[int] = (0, 0),
        groups: int = 1,
        dilation: Sequence[int] = (1, 1),
    ) -> None:
        super().__init__()
        self.stride = stride
        self.padding = padding
        self.output_padding = output_padding
        self.groups = groups
        self.dilation = dilation

    def forward(
        self,
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
    ) -> Tensor:
        return conv_transpose2d(
            input,
            weight,
            bias,
            self.stride,
            self.padding,
            self.output_padding,
            self.groups,
            self.dilation,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"stride={self.stride}",
                f"padding={self.padding}",
                f"output_padding={self.output_padding}",
                f"groups={self.groups}",
                f"dilation={self.dilation}",
            ]
        )
