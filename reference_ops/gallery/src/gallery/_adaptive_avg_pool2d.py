"""aten::adaptive_avg_pool2d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_avg_pool2d in ONNX; `op` writes the nodes for the exporter that asks."""
    x = op.Identity(self)
    x_2 = x
    for e in range(2):
        shape = op.Shape(self)
        n = op.Gather(shape, op.constant(e - 2, like="INT64"))
        j = op.Range(
            op.constant(0, like="INT64"),
            op.constant(output_size[e], like="INT64"),
            op.constant(1, like="INT64"),
        )
        mul = op.Mul(j, n)
        start = op.Div(mul, op.constant(output_size[e], like="INT64"))
        add = op.Add(j, op.constant(1, like="INT64"))
        mul_2 = op.Mul(add, n)
        sub = op.Sub(mul_2, op.constant(1, like="INT64"))
        div = op.Div(sub, op.constant(output_size[e], like="INT64"))
        end = op.Add(div, op.constant(1, like="INT64"))
        sub_2 = op.Sub(end, start)
        concat = op.Concat(sub_2, op.constant([1], like="INT64"), axis=0)
        wide = op.ReduceMax(concat, keepdims=0)
        unsqueeze = op.Unsqueeze(start, op.constant([1], like="INT64"))
        range_2 = op.Range(op.constant(0, like="INT64"), wide, op.constant(1, like="INT64"))
        places = op.Add(unsqueeze, range_2)
        behind = op.Unsqueeze(end, op.constant([1], like="INT64"))
        sub_3 = op.Sub(behind, op.constant(1, like="INT64"))
        min = op.Min(places, sub_3)
        parts = op.Gather(x_2, min, axis=e - 2)
        is_there = op.Less(places, behind)
        if e < 1:
            is_there_3 = op.Unsqueeze(is_there, op.constant(list(range(2, 3 - e)), like="INT64"))
        else:
            is_there_3 = is_there
        where = op.Where(is_there_3, parts, op.constant(0.0, like=self))
        total = op.ReduceSum(where, op.constant([e - 2], like="INT64"), keepdims=1)
        slice = op.Slice(
            total,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([e - 2], like="INT64"),
        )
        total_2 = op.Squeeze(slice, op.constant([e - 2], like="INT64"))
        sub_4 = op.Sub(end, start)
        cast_like = op.CastLike(sub_4, self)
        reshape = op.Reshape(cast_like, op.constant([-1] + [1] * (1 - e), like="INT64"))
        x_3 = op.Div(total_2, reshape)
        x_2 = x_3
    return x_2


OP = _onnxop.Operator(
    name="aten::adaptive_avg_pool2d.default",
    existing="aten::adaptive_avg_pool2d.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="adaptive_avg_pool2d",
    doc="The operator aten::adaptive_avg_pool2d.",
    spec="sha256:c9d2df447ad0a0c0ba2c8efdd5a975f75b1bfe8e7db394cc3411a202b9e8673c",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.adaptive_avg_pool2d.default


@_onnxop.script.scripted(OP)
def adaptive_avg_pool2d(
    self: Tensor,
    output_size: Sequence[int],
) -> Tensor:
    """The operator aten::adaptive_avg_pool2d.

    Args:
        self: a tensor.
        output_size: 2 integers.

    Returns:
        What PyTorch's aten::adaptive_avg_pool2d returns.
    """
    result: Tensor = _operator(
        self,
        output_size,
    )
    return result


class AdaptiveAvgPool2d(torch.nn.Module):
    """`adaptive_avg_pool2d` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        output_size: Sequence[int],
    ) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return adaptive_avg_pool2d(
            input,
            self.output_size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
            ]
        )
