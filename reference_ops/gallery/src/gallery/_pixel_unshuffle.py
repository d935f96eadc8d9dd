"""aten::pixel_unshuffle: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, downscale_factor: Any) -> Any:
    """aten::pixel_unshuffle in ONNX; `op` writes the nodes for the exporter that asks."""
    sizes = op.Shape(self)
    batch = op.Slice(
        sizes,
        op.constant([0], like="INT64"),
        op.constant([-3], like="INT64"),
        op.constant([0], like="INT64"),
    )
    channels = op.Slice(
        sizes,
        op.constant([-3], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    slice = op.Slice(
        sizes,
        op.constant([-2], like="INT64"),
        op.constant([-1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    rows = op.Div(slice, op.constant(downscale_factor, like="INT64"))
    slice_2 = op.Slice(
        sizes,
        op.constant([-1], like="INT64"),
        op.constant([9223372036854775807], like="INT64"),
        op.constant([0], like="INT64"),
    )
    columns = op.Div(slice_2, op.constant(downscale_factor, like="INT64"))
    whole = op.ReduceProd(batch, keepdims=1)
    concat = op.Concat(
        whole,
        channels,
        rows,
        op.constant([downscale_factor], like="INT64"),
        columns,
        op.constant([downscale_factor], like="INT64"),
        axis=0,
    )
    parts = op.Reshape(self, concat, allowzero=1)
    parts_2 = op.Transpose(parts, perm=[0, 1, 3, 5, 2, 4])
    mul = op.Mul(channels, op.constant(downscale_factor * downscale_factor, like="INT64"))
    concat_2 = op.Concat(batch, mul, rows, columns, axis=0)
    return op.Reshape(parts_2, concat_2, allowzero=1)


OP = _onnxop.Operator(
    name="aten::pixel_unshuffle.default",
    existing="aten::pixel_unshuffle.default",
    rules={
        range(14, 26): rule,
    },
    torchscript=range(14, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="pixel_unshuffle",
    doc="The operator aten::pixel_unshuffle.",
    spec="sha256:efcd25351f4da3844ca0143b3058bdb8c4c7a30a40d22405727b385616740366",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.pixel_unshuffle.default


@_onnxop.script.scripted(OP)
def pixel_unshuffle(
    self: Tensor,
    downscale_factor: int,
) -> Tensor:
    """The operator aten::pixel_unshuffle.

    Args:
        self: a tensor.
        downscale_factor: an integer.

    Returns:
        What PyTorch's aten::pixel_unshuffle returns.
    """
    result: Tensor = _operator(
        self,
        downscale_factor,
    )
    return result


class PixelUnshuffle(torch.nn.Module):
    """`pixel_unshuffle` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        downscale_factor: int,
    ) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return pixel_unshuffle(
            input,
            self.downscale_factor,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"downscale_factor={self.downscale_factor}",
            ]
        )
