"""aten::hypot: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::hypot in ONNX; `op` writes the nodes for the exporter that asks."""
    abs = op.Abs(self)
    abs_2 = op.Abs(other)
    larger = op.Max(abs, abs_2)
    abs_3 = op.Abs(self)
    abs_4 = op.Abs(other)
    smaller = op.Min(abs_3, abs_4)
    equal = op.Equal(larger, op.constant(0.0, like=self))
    where = op.Where(equal, op.constant(1.0, like=self), larger)
    ratio = op.Div(smaller, where)
    mul = op.Mul(ratio, ratio)
    add = op.Add(op.constant(1.0, like=self), mul)
    sqrt = op.Sqrt(add)
    found = op.Mul(larger, sqrt)
    is_na_n = op.IsNaN(self)
    is_na_n_2 = op.IsNaN(other)
    where_2 = op.Where(is_na_n_2, other, found)
    found_2 = op.Where(is_na_n, self, where_2)
    is_inf = op.IsInf(self)
    is_inf_2 = op.IsInf(other)
    or_2 = op.Or(is_inf, is_inf_2)
    return op.Where(or_2, op.constant(float("inf"), like=self), found_2)


OP = _onnxop.Operator(
    name="aten::hypot.default",
    existing="aten::hypot.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="hypot",
    doc="The operator aten::hypot.",
    spec="sha256:34be4fb3fef21bbbba169c50488fefc6aa09d85870aa91370f692182e06f5b03",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.hypot.default


@_onnxop.script.scripted(OP)
def hypot(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::hypot.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::hypot returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Hypot(torch.nn.Module):
    """`hypot` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return hypot(
            input,
            other,
        )
