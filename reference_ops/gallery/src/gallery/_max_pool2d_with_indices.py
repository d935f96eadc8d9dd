"""aten::max_pool2d_with_indices: its rule in ONNX, and the function and module that call it."""

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
    """aten::max_pool2d_with_indices in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 4:
        planes = op.Identity(self)
    else:
        planes = op.Unsqueeze(self, op.constant([0], like="INT64"))
    kernel = [kernel_size[min(e, len(kernel_size) - 1)] for e in range(2)]
    steps = [(stride if len(stride) > 0 else kernel)[min(e_2, len(stride if len(stride) > 0 else kernel) - 1)] for e_2 in range(2)]  # fmt: skip
    pads = [padding[min(e_3, len(padding) - 1)] for e_3 in range(2)]
    wide = [dilation[min(e_4, len(dilation) - 1)] for e_4 in range(2)]
    largest, place = op.MaxPool(
        planes,
        kernel_shape=kernel,
        strides=steps,
        pads=list(pads) + list(pads),
        dilations=wide,
        ceil_mode=int(ceil_mode),
        _outputs=2,
    )
    shape = op.Shape(planes)
    slice = op.Slice(
        shape,
        op.constant([2], like="INT64"),
        op.constant([4], like="INT64"),
        op.constant([0], like="INT64"),
    )
    reduce_prod = op.ReduceProd(slice, keepdims=0)
    place_2 = op.Mod(place, reduce_prod)
    if op.rank(self) == 4:
        result, result_2 = largest, place_2
    else:
        result0 = op.Squeeze(largest, op.constant([0], like="INT64"))
        result1 = op.Squeeze(place_2, op.constant([0], like="INT64"))
        result, result_2 = result0, result1
    return result, result_2


OP = _onnxop.Operator(
    name="aten::max_pool2d_with_indices.default",
    existing="aten::max_pool2d_with_indices.default",
    results=[
        "result0",
        "result1",
    ],
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="max_pool2d_with_indices",
    doc="The operator aten::max_pool2d_with_indices.",
    spec="sha256:0201732aaa901323d5e4cd00825df33cda61200e5e4cc33804e5b3f42d10a813",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.max_pool2d_with_indices.default


@_onnxop.script.scripted(OP)
def max_pool2d_with_indices(
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::max_pool2d_with_indices.

    Args:
        self: a tensor.
        kernel_size: 2 integers.
        stride: 2 integers; () by default.
        padding: 2 integers; (0, 0) by default.
        dilation: 2 integers; (1, 1) by default.
        ceil_mode: a boolean; False by default.

    Returns:
        What PyTorch's aten::max_pool2d_with_indices returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        kernel_size,
        stride,
        padding,
        dilation,
        ceil_mode,
    )
    return result


class MaxPool2dWithIndices(torch.nn.Module):
    """`max_pool2d_with_indices` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        kernel_size: Sequence[int],
        stride: Sequence[int] = (),
        padding: Sequence[int] = (0, 0),
        dilation: Sequence[int] = (1, 1),
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
    ) -> tuple[Tensor, Tensor]:
        return max_pool2d_with_indices(
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
