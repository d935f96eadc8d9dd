"""aten::median: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::median in ONNX; `op` writes the nodes for the exporter that asks."""
    flat = op.Reshape(self, op.constant([-1], like="INT64"))
    equal = op.Equal(flat, flat)
    is_nan = op.Not(equal)
    count = op.Shape(flat)
    where = op.Where(is_nan, op.constant(0, like=self), flat)
    values, _indices = op.TopK(where, count, axis=0, largest=0, _outputs=2)
    constant_2 = op.Constant(value_floats=[-(float("inf") - float("inf"))])
    cast_like = op.CastLike(constant_2, self)
    padded = op.Concat(values, cast_like, axis=0)
    sub = op.Sub(count, op.constant(1, like="INT64"))
    max = op.Max(sub, op.constant(0, like="INT64"))
    div = op.Div(max, op.constant(2, like="INT64"))
    found = op.Gather(padded, div, axis=0)
    where_2 = op.Where(is_nan, flat, op.constant(0, like=self))
    nan = op.ReduceSum(where_2, op.constant([0], like="INT64"), keepdims=1)
    equal_2 = op.Equal(nan, op.constant(0, like=self))
    where_3 = op.Where(equal_2, found, nan)
    return op.Squeeze(where_3, op.constant([0], like="INT64"))


OP = _onnxop.Operator(
    name="aten::median.default",
    existing="aten::median.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="median",
    doc="The operator aten::median.",
    spec="sha256:5d120dc02827f8b3583724c2364a6f346472e5bb1ddea6f3c840e1425cb5c6a7",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.median.default


@_onnxop.script.scripted(OP)
def median(
    self: Tensor,
) -> Tensor:
    """The operator aten::median.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::median returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Median(torch.nn.Module):
    """`median` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return median(
            input,
        )
