"""aten::lgamma: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::lgamma in ONNX; `op` writes the nodes for the exporter that asks."""
    is_low = op.Less(self, op.constant(0.5, like=self))
    sub = op.Sub(op.constant(1.0, like=self), self)
    where = op.Where(is_low, sub, self)
    z = op.Sub(where, op.constant(1.0, like=self))
    mul = op.Mul(z, op.constant(0.0, like=self))
    a = op.Add(mul, op.constant(0.9999999999998099, like=self))
    a_2 = a
    for k, c in enumerate([676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905, -0.13857109526572012, 9.984369578019572e-06, 1.5056327351493116e-07]):  # fmt: skip
        add = op.Add(z, op.constant(float(k + 1), like=self))
        div = op.Div(op.constant(c, like=self), add)
        a_3 = op.Add(a_2, div)
        a_2 = a_3
    t = op.Add(z, op.constant(7.5, like=self))
    add_2 = op.Add(z, op.constant(0.5, like=self))
    log = op.Log(t)
    mul_2 = op.Mul(add_2, log)
    add_3 = op.Add(op.constant(0.9189385332046727, like=self), mul_2)
    sub_2 = op.Sub(add_3, t)
    log_2 = op.Log(a_2)
    found = op.Add(sub_2, log_2)
    floor = op.Floor(self)
    fraction = op.Sub(self, floor)
    mul_3 = op.Mul(fraction, op.constant(3.141592653589793, like=self))
    sin = op.Sin(mul_3)
    abs = op.Abs(sin)
    log_3 = op.Log(abs)
    sub_3 = op.Sub(op.constant(1.1447298858494002, like=self), log_3)
    reflected = op.Sub(sub_3, found)
    return op.Where(is_low, reflected, found)


OP = _onnxop.Operator(
    name="aten::lgamma.default",
    existing="aten::lgamma.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="lgamma",
    doc="The operator aten::lgamma.",
    spec="sha256:c806403e1f550ebcce9c4dd61d467136dd729dd36198570e5bffd21fa633243b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.lgamma.default


def lgamma(
    self: Tensor,
) -> Tensor:
    """The operator aten::lgamma.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::lgamma returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Lgamma(torch.nn.Module):
    """`lgamma` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return lgamma(
            input,
        )
