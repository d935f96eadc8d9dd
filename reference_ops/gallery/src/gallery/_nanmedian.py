"""aten::nanmedian: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::nanmedian in ONNX; `op` writes the nodes for the exporter that asks."""
    flat = op.Reshape(self, op.constant([-1], like="INT64"))
    equal = op.Equal(flat, flat)
    is_nan = op.Not(equal)
    constant_2 = op.Constant(value_float=float("inf"))
    infinite = op.CastLike(constant_2, self)
    where = op.Where(is_nan, infinite, flat)
    shape = op.Shape(flat)
    values, _indices = op.TopK(where, shape, axis=0, largest=0, _outputs=2)
    constant_3 = op.Constant(value_floats=[-(float("inf") - float("inf"))])
    nan = op.CastLike(constant_3, self)
    not_2 = op.Not(is_nan)
    cast = op.Cast(not_2, to=7)
    numbers = op.ReduceSum(cast, op.constant([0], like="INT64"), keepdims=1)
    concat = op.Concat(values, nan, axis=0)
    sub = op.Sub(numbers, op.constant(1, like="INT64"))
    max = op.Max(sub, op.constant(0, like="INT64"))
    div = op.Div(max, op.constant(2, like="INT64"))
    found = op.Gather(concat, div, axis=0)
    equal_2 = op.Equal(numbers, op.constant(0, like="INT64"))
    where_2 = op.Where(equal_2, nan, found)
    return op.Squeeze(where_2, op.constant([0], like="INT64"))


OP = _onnxop.Operator(
    name="aten::nanmedian.default",
    existing="aten::nanmedian.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="nanmedian",
    doc="The operator aten::nanmedian.",
    spec="sha256:1e6a22b9c2646fb9eb02e5fa8ae16f3bcf2fe39c3e35ecfe214ab1b1a7624e53",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nanmedian.default


@_onnxop.script.scripted(OP)
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
