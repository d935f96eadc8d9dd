"""aten::im2col: its rule in ONNX, and the function and module that call it."""

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
    dilation: Any,
    padding: Any,
    stride: Any,
) -> Any:
    """aten::im2col in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 4:
        planes = op.Identity(self)
    else:
        planes = op.Unsqueeze(self, op.constant([0], like="INT64"))
    x = op.Pad(
        planes,
        op.constant([0, 0, padding[0], padding[-1], 0, 0, padding[0], padding[-1]], like="INT64"),
    )
    x_2 = x
    for e in range(2):
        shape = op.Shape(x_2)
        gather = op.Gather(shape, op.constant(2 + 2 * e, like="INT64"))
        sub = op.Sub(
            gather,
            op.constant(dilation[min(e, len(dilation) - 1)] * (kernel_size[min(e, len(kernel_size) - 1)] - 1) + 1, like="INT64"),
        )  # fmt: skip
        div = op.Div(sub, op.constant(stride[min(e, len(stride) - 1)], like="INT64"))
        count = op.Add(div, op.constant(1, like="INT64"))
        range_2 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(kernel_size[min(e, len(kernel_size) - 1)], like="INT64"),
            op.constant(1, like="INT64"),
        )
        mul = op.Mul(range_2, op.constant(dilation[min(e, len(dilation) - 1)], like="INT64"))
        unsqueeze_2 = op.Unsqueeze(mul, op.constant([1], like="INT64"))
        range_3 = op.Range(op.constant(0, like="INT64"), count, op.constant(1, like="INT64"))
        mul_2 = op.Mul(range_3, op.constant(stride[min(e, len(stride) - 1)], like="INT64"))
        places = op.Add(unsqueeze_2, mul_2)
        x_3 = op.Gather(x_2, places, axis=2 + 2 * e)
        x_2 = x_3
    sizes = op.Shape(x_2)
    gather_2 = op.Gather(sizes, op.constant([1, 2, 4], like="INT64"))
    rows = op.ReduceProd(gather_2, keepdims=1)
    gather_3 = op.Gather(sizes, op.constant([3, 5], like="INT64"))
    columns = op.ReduceProd(gather_3, keepdims=1)
    gather_4 = op.Gather(sizes, op.constant([0], like="INT64"))
    size = op.Concat(gather_4, rows, columns, axis=0)
    transpose = op.Transpose(x_2, perm=[0, 1, 2, 4, 3, 5])
    found = op.Reshape(transpose, size, allowzero=1)
    if op.rank(self) == 4:
        result = found
    else:
        result = op.Squeeze(found, op.constant([0], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="aten::im2col.default",
    existing="aten::im2col.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="im2col",
    doc="The operator aten::im2col.",
    spec="sha256:8ab234688852cc997919da8e795579e6ce0b773c235782ff51cd1646f531f2d0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.im2col.default


@_onnxop.script.scripted(OP)
def im2col(
    self: Tensor,
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> Tensor:
    """The operator aten::im2col.

    Args:
        self: a tensor.
        kernel_size: 2 integers.
        dilation: 2 integers.
        padding: 2 integers.
        stride: 2 integers.

    Returns:
        What PyTorch's aten::im2col returns.
    """
    result: Tensor = _operator(
        self,
        kernel_size,
        dilation,
        padding,
        stride,
    )
    return result


class Im2col(torch.nn.Module):
    """`im2col` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        kernel_size: Sequence[int],
        dilation: Sequence[int],
        padding: Sequence[int],
        stride: Sequence[int],
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return im2col(
            input,
            self.kernel_size,
            self.dilation,
            self.padding,
            self.stride,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"kernel_size={self.kernel_size}",
                f"dilation={self.dilation}",
                f"padding={self.padding}",
                f"stride={self.stride}",
            ]
        )
