"""aten::col2im: its rule in ONNX, and the function and module that call it."""

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
    kernel_size: Any,
    dilation: Any,
    padding: Any,
    stride: Any,
) -> Any:
    """aten::col2im in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 2:
        columns = op.Unsqueeze(self, op.constant([0], like="INT64"))
    else:
        columns = self
    image = op.Col2Im(
        columns,
        op.constant(output_size, like="INT64"),
        op.constant(kernel_size, like="INT64"),
        dilations=dilation,
        pads=list(padding) + list(padding),
        strides=stride,
    )
    if op.rank(self) == 2:
        result = op.Squeeze(image, op.constant([0], like="INT64"))
    else:
        result = image
    return result


OP = _onnxop.Operator(
    name="aten::col2im.default",
    existing="aten::col2im.default",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="col2im",
    doc="The operator aten::col2im.",
    spec="sha256:29fef0b4d704a79f4221a2890b551b0b77a142e831dad9b706e4f5f33ab321b4",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.col2im.default


@_onnxop.script.scripted(OP)
def col2im(
    self: Tensor,
    output_size: Sequence[int],
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> Tensor:
    """The operator aten::col2im.

    Args:
        self: a tensor.
        output_size: 2 integers.
        kernel_size: 2 integers.
        dilation: 2 integers.
        padding: 2 integers.
        stride: 2 integers.

    Returns:
        What PyTorch's aten::col2im returns.
    """
    result: Tensor = _operator(
        self,
        output_size,
        kernel_size,
        dilation,
        padding,
        stride,
    )
    return result


class Col2im(torch.nn.Module):
    """`col2im` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        output_size: Sequence[int],
        kernel_size: Sequence[int],
        dilation: Sequence[int],
        padding: Sequence[int],
        stride: Sequence[int],
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return col2im(
            input,
            self.output_size,
            self.kernel_size,
            self.dilation,
            self.padding,
            self.stride,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
                f"kernel_size={self.kernel_size}",
                f"dilation={self.dilation}",
                f"padding={self.padding}",
                f"stride={self.stride}",
            ]
        )
