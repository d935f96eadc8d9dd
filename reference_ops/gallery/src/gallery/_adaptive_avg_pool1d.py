"""aten::adaptive_avg_pool1d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_avg_pool1d in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    j = op.Range(
        op.constant(0, like="INT64"),
        op.constant(output_size[0], like="INT64"),
        op.constant(1, like="INT64"),
    )
    mul = op.Mul(j, n)
    start = op.Div(mul, op.constant(output_size[0], like="INT64"))
    add = op.Add(j, op.constant(1, like="INT64"))
    mul_2 = op.Mul(add, n)
    sub = op.Sub(mul_2, op.constant(1, like="INT64"))
    div = op.Div(sub, op.constant(output_size[0], like="INT64"))
    end = op.Add(div, op.constant(1, like="INT64"))
    sub_2 = op.Sub(end, start)
    concat = op.Concat(sub_2, op.constant([1], like="INT64"), axis=0)
    wide = op.ReduceMax(concat, keepdims=0)
    unsqueeze = op.Unsqueeze(start, op.constant([1], like="INT64"))
    range = op.Range(op.constant(0, like="INT64"), wide, op.constant(1, like="INT64"))
    places = op.Add(unsqueeze, range)
    behind = op.Unsqueeze(end, op.constant([1], like="INT64"))
    less = op.Less(places, behind)
    sub_3 = op.Sub(behind, op.constant(1, like="INT64"))
    min = op.Min(places, sub_3)
    gather = op.Gather(self, min, axis=-1)
    parts = op.Where(less, gather, op.constant(0.0, like=self))
    reduce_sum = op.ReduceSum(parts, op.constant([-1], like="INT64"), keepdims=1)
    slice = op.Slice(
        reduce_sum,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    total = op.Squeeze(slice, op.constant([-1], like="INT64"))
    sub_4 = op.Sub(end, start)
    cast_like = op.CastLike(sub_4, self)
    return op.Div(total, cast_like)


OP = _onnxop.Operator(
    name="aten::adaptive_avg_pool1d.default",
    existing="aten::adaptive_avg_pool1d.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="adaptive_avg_pool1d",
    doc="The operator aten::adaptive_avg_pool1d.",
    spec="sha256:10cc7b104c8d5f8b35c0f410e6c165f417958b5ace3cc657e90335f99a344686",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.adaptive_avg_pool1d.default


@_onnxop.script.scripted(OP)
def adaptive_avg_pool1d(
    self: Tensor,
    output_size: Sequence[int],
) -> Tensor:
    """The operator aten::adaptive_avg_pool1d.

    Args:
        self: a tensor.
        output_size: 1 integers.

    Returns:
        What PyTorch's aten::adaptive_avg_pool1d returns.
    """
    result: Tensor = _operator(
        self,
        output_size,
    )
    return result


class AdaptiveAvgPool1d(torch.nn.Module):
    """`adaptive_avg_pool1d` as a module; what is no tensor is fixed."""

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
        return adaptive_avg_pool1d(
            input,
            self.output_size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
            ]
        )
