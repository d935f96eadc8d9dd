"""aten::digamma: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::digamma in ONNX; `op` writes the nodes for the exporter that asks."""
    is_low = op.Less(self, op.constant(0.0, like=self))
    sub = op.Sub(op.constant(1.0, like=self), self)
    shifted = op.Where(is_low, sub, self)
    found = op.Div(op.constant(-1.0, like=self), shifted)
    found_2 = found
    for k in range(5):
        add = op.Add(shifted, op.constant(float(k + 1), like=self))
        div = op.Div(op.constant(1.0, like=self), add)
        found_3 = op.Sub(found_2, div)
        found_2 = found_3
    y = op.Add(shifted, op.constant(6.0, like=self))
    mul = op.Mul(y, y)
    z = op.Div(op.constant(1.0, like=self), mul)
    log = op.Log(y)
    add_2 = op.Add(found_2, log)
    div_2 = op.Div(op.constant(0.5, like=self), y)
    sub_2 = op.Sub(add_2, div_2)
    mul_2 = op.Mul(z, op.constant(0.003968253968253968, like=self))
    sub_3 = op.Sub(op.constant(0.008333333333333333, like=self), mul_2)
    mul_3 = op.Mul(z, sub_3)
    sub_4 = op.Sub(op.constant(0.08333333333333333, like=self), mul_3)
    mul_4 = op.Mul(z, sub_4)
    found_4 = op.Sub(sub_2, mul_4)
    round = op.Round(self)
    fraction = op.Sub(self, round)
    mul_5 = op.Mul(fraction, op.constant(3.141592653589793, like=self))
    tan = op.Tan(mul_5)
    div_3 = op.Div(op.constant(3.141592653589793, like=self), tan)
    reflected = op.Sub(found_4, div_3)
    equal = op.Equal(fraction, op.constant(0.0, like=self))
    is_pole = op.And(is_low, equal)
    constant_2 = op.Constant(value_float=-(float("inf") - float("inf")))
    cast_like = op.CastLike(constant_2, self)
    where = op.Where(is_low, reflected, found_4)
    return op.Where(is_pole, cast_like, where)


OP = _onnxop.Operator(
    name="aten::digamma.default",
    existing="aten::digamma.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="digamma",
    doc="The operator aten::digamma.",
    spec="sha256:a0509e88ae0314b49b13d5cc45d4baf6842497aaa72a4f121aa97b8e5e176aea",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.digamma.default


@_onnxop.script.scripted(OP)
def digamma(
    self: Tensor,
) -> Tensor:
    """The operator aten::digamma.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::digamma returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Digamma(torch.nn.Module):
    """`digamma` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return digamma(
            input,
        )
