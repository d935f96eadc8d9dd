"""aten::median: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::median in ONNX; `op` writes the nodes for the exporter that asks."""
    flat = op.Reshape(self, op.constant([-1], like="INT64"))
    count = op.Shape(flat)
    values, _indices = op.TopK(flat, count, axis=0, largest=0, _outputs=2)
    sub = op.Sub(count, op.constant(1, like="INT64"))
    div = op.Div(sub, op.constant(2, like="INT64"))
    found = op.Gather(values, div, axis=0)
    reduce_sum = op.ReduceSum(self, keepdims=0)
    mul = op.Mul(op.constant(0.0, like=self), reduce_sum)
    add = op.Add(found, mul)
    return op.Squeeze(add, op.constant([0], like="INT64"))


OP = _onnxop.Operator(
    name="aten::median.default",
    existing="aten::median.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="median",
    doc="The operator aten::median.",
    spec="sha256:ebcd3a280235e7ed1fbbff14e9505ef23ab08f9076952f5232909653f5edbecf",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.median.default


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
