"""aten::max_unpool2d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, indices: Any, output_size: Any) -> Any:
    """aten::max_unpool2d in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    plane = op.Concat(outer, op.constant([-1], like="INT64"), axis=0)
    cast_like = op.CastLike(op.constant(0, like="INT64"), self)
    concat = op.Concat(outer, op.constant([output_size[0] * output_size[1]], like="INT64"), axis=0)
    nothing = op.Expand(cast_like, concat)
    reshape = op.Reshape(indices, plane)
    reshape_2 = op.Reshape(self, plane)
    found = op.ScatterElements(nothing, reshape, reshape_2, axis=-1)
    concat_2 = op.Concat(outer, op.constant(output_size, like="INT64"), axis=0)
    return op.Reshape(found, concat_2)


OP = _onnxop.Operator(
    name="aten::max_unpool2d.default",
    existing="aten::max_unpool2d.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="max_unpool2d",
    doc="The operator aten::max_unpool2d.",
    spec="sha256:2f4ef52ec30f61c1256d1843ed89cd05c9371205c39f869cb45a7267703905b2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.max_unpool2d.default


@_onnxop.script.scripted(OP)
def max_unpool2d(
    self: Tensor,
    indices: Tensor,
    output_size: Sequence[int],
) -> Tensor:
    """The operator aten::max_unpool2d.

    Args:
        self: a tensor.
        indices: a tensor.
        output_size: 2 integers.

    Returns:
        What PyTorch's aten::max_unpool2d returns.
    """
    result: Tensor = _operator(
        self,
        indices,
        output_size,
    )
    return result


class MaxUnpool2d(torch.nn.Module):
    """`max_unpool2d` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        output_size: Sequence[int],
    ) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(
        self,
        input: Tensor,
        indices: Tensor,
    ) -> Tensor:
        return max_unpool2d(
            input,
            indices,
            self.output_size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
            ]
        )
