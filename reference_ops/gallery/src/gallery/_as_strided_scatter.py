"""aten::as_strided_scatter: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    src: Any,
    size: Any,
    stride: Any,
    storage_offset: Any,
) -> Any:
    """aten::as_strided_scatter in ONNX; `op` writes the nodes for the exporter that asks."""
    flat = op.Reshape(self, op.constant([-1], like="INT64"))
    constant_2 = op.Constant(value_int=0)
    places = op.Add(
        constant_2,
        op.constant(storage_offset if storage_offset is not None else 0, like="INT64"),
    )
    places_2 = places
    for d in range(len(size)):
        range_2 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(size[d], like="INT64"),
            op.constant(1, like="INT64"),
        )
        steps = op.Mul(range_2, op.constant(stride[d], like="INT64"))
        unsqueeze = op.Unsqueeze(places_2, op.constant([-1], like="INT64"))
        places_3 = op.Add(unsqueeze, steps)
        places_2 = places_3
    reshape = op.Reshape(places_2, op.constant([-1], like="INT64"))
    reshape_2 = op.Reshape(src, op.constant([-1], like="INT64"))
    found = op.ScatterElements(flat, reshape, reshape_2)
    shape = op.Shape(self)
    return op.Reshape(found, shape)


OP = _onnxop.Operator(
    name="aten::as_strided_scatter.default",
    existing="aten::as_strided_scatter.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="as_strided_scatter",
    doc="The operator aten::as_strided_scatter.",
    spec="sha256:7685852582516a3f15746d9232fa35523347f37e8086eb699331db593cc67ac7",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.as_strided_scatter.default


@_onnxop.script.scripted(OP)
def as_strided_scatter(
    self: Tensor,
    src: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """The operator aten::as_strided_scatter.

    Args:
        self: a tensor.
        src: a tensor.
        size: integers.
        stride: integers.
        storage_offset: an integer or None; None by default.

    Returns:
        What PyTorch's aten::as_strided_scatter returns.
    """
    result: Tensor = _operator(
        self,
        src,
        size,
        stride,
        storage_offset,
    )
    return result


class AsStridedScatter(torch.nn.Module):
    """`as_strided_scatter` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        size: Sequence[int],
        stride: Sequence[int],
        storage_offset: int | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.stride = stride
        self.storage_offset = storage_offset

    def forward(
        self,
        input: Tensor,
        src: Tensor,
    ) -> Tensor:
        return as_strided_scatter(
            input,
            src,
            self.size,
            self.stride,
            self.storage_offset,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"size={self.size}",
                f"stride={self.stride}",
                f"storage_offset={self.storage_offset}",
            ]
        )
