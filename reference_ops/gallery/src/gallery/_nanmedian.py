"""aten::nanmedian: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::nanmedian in ONNX; `op` writes the nodes for the exporter that asks."""
    flat = op.Reshape(self, op.constant([-1], like="INT64"))
    count = op.Shape(flat)
    is_nan = op.IsNaN(flat)
    flat_2 = op.Where(is_nan, op.constant(3.4028234663852886e38, like=self), flat)
    values, _indices = op.TopK(flat_2, count, axis=0, largest=0, _outputs=2)
    not_2 = op.Not(is_nan)
    cast = op.Cast(not_2, to=7)
    present = op.ReduceSum(cast, op.constant([0], like="INT64"), keepdims=1)
    sub = op.Sub(present, op.constant(1, like="INT64"))
    max = op.Max(sub, op.constant(0, like="INT64"))
    div = op.Div(max, op.constant(2, like="INT64"))
    found = op.Gather(values, div, axis=0)
    equal = op.Equal(present, op.constant(0, like="INT64"))
    mul = op.Mul(op.constant(0.0, like=self), found)
    add = op.Add(op.constant(-1.0, like=self), mul)
    log = op.Log(add)
    nothing = op.Where(equal, log, found)
    return op.Squeeze(nothing, op.constant([0], like="INT64"))


OP = _onnxop.Operator(
    name="aten::nanmedian.default",
    existing="aten::nanmedian.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="nanmedian",
    doc="The operator aten::nanmedian.",
    spec="sha256:2e1b6d4817185a38dde2e755c982123dadc582d6a75fe3805051e4b7f7c54edf",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nanmedian.default


def nanmedian(
    self: Tensor,
) -> Tensor:
    """The operator aten::nanmedian.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::nanmedian returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Nanmedian(torch.nn.Module):
    """`nanmedian` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return nanmedian(
            input,
        )
