"""aten::max_pool3d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: Any,
) -> Any:
    """aten::max_pool3d in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 5:
        planes = op.Identity(self)
    else:
        planes = op.Unsqueeze(self, op.constant([0], like="INT64"))
    kernel = [kernel_size[min(e, len(kernel_size) - 1)] for e in range(3)]
    steps = [(stride if len(stride) > 0 else kernel)[min(e_2, len(stride if len(stride) > 0 else kernel) - 1)] for e_2 in range(3)]  # fmt: skip
    pads = [padding[min(e_3, len(padding) - 1)] for e_3 in range(3)]
    wide = [dilation[min(e_4, len(dilation) - 1)] for e_4 in range(3)]
    largest = op.MaxPool(
        planes,
        kernel_shape=kernel,
        strides=steps,
        pads=list(pads) + list(pads),
        dilations=wide,
        ceil_mode=int(ceil_mode),
    )
    if op.rank(self) == 5:
        result = largest
    else:
        result = op.Squeeze(largest, op.constant([0], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="aten::max_pool3d.default",
    existing="aten::max_pool3d.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(0),
    dynamo_opset=13,
    domain="gallery",
    op_type="max_pool3d",
    doc="The operator aten::max_pool3d.",
    spec="sha256:2e419aa105c6b49db7c3789c09e26c65c1f059615bc0049836444b08549bbbbd",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.max_pool3d.default


@_onnxop.script.scripted(OP)
def max_pool3d(
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0, 0),
    dilation: Sequence[int] = (1, 1, 1),
    ceil_mode: bool = False,
) -> Tensor:
    """The operator aten::max_pool3d.

    Args:
        self: a tensor.
        kernel_size: 3 integers.
        stride: 3 integers; () by default.
        padding: 3 integers; (0, 0, 0) by default.
        dilation: 3 integers; (1, 1, 1) by default.
        ceil_mode: a boolean; False by default.

    Returns:
        What PyTorch's aten::max_pool3d returns.
    """
    result: Tensor = _operator(
        self,
        kernel_size,
        stride,
        padding,
        dilation,
        ceil_mode,
    )
    return result


class MaxPool3d(torch.nn.Module):
    """`max_pool3d` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        kernel_size: Sequence[int],
        stride: Sequence[int] = (),
        padding: Sequence[int] = (0, 0, 0),
        dilation: Sequence[int] = (1, 1, 1),
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.ceil_mode = ceil_mode

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return max_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"kernel_size={self.kernel_size}",
                f"stride={self.stride}",
                f"padding={self.padding}",
                f"dilation={self.dilation}",
                f"ceil_mode={self.ceil_mode}",
            ]
        )
