"""aten::lgamma: its rule in ONNX, and the function and module that call it."""

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
    add = op.Add(z, op.constant(1.0, like=self))
    div = op.Div(op.constant(676.5203681218851, like=self), add)
    a = op.Add(op.constant(0.9999999999998099, like=self), div)
    a_2 = a
    for k, c in enumerate([-1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905, -0.13857109526572012, 9.984369578019572e-06, 1.5056327351493116e-07]):  # fmt: skip
        add_2 = op.Add(z, op.constant(float(k + 2), like=self))
        div_2 = op.Div(op.constant(c, like=self), add_2)
        a_3 = op.Add(a_2, div_2)
        a_2 = a_3
    add_3 = op.Add(z, op.constant(0.5, like=self))
    add_4 = op.Add(z, op.constant(7.5, like=self))
    log = op.Log(add_4)
    sub_2 = op.Sub(log, op.constant(1.0, like=self))
    mul = op.Mul(add_3, sub_2)
    add_5 = op.Add(op.constant(0.9189385332046727, like=self), mul)
    sub_3 = op.Sub(add_5, op.constant(7.0, like=self))
    log_2 = op.Log(a_2)
    found = op.Add(sub_3, log_2)
    floor = op.Floor(self)
    fraction = op.Sub(self, floor)
    mul_2 = op.Mul(fraction, op.constant(3.141592653589793, like=self))
    sin = op.Sin(mul_2)
    abs = op.Abs(sin)
    log_3 = op.Log(abs)
    sub_4 = op.Sub(op.constant(1.1447298858494002, like=self), log_3)
    reflected = op.Sub(sub_4, found)
    is_inf = op.IsInf(self)
    abs_2 = op.Abs(self)
    where_2 = op.Where(is_low, reflected, found)
    return op.Where(is_inf, abs_2, where_2)


OP = _onnxop.Operator(
    name="aten::lgamma.default",
    existing="aten::lgamma.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="lgamma",
    doc="The operator aten::lgamma.",
    spec="sha256:03babdf47ebf9211aa3d08fe7e175b285ff487e85fd79c725513b23deb97b437",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.lgamma.default


@_onnxop.script.scripted(OP)
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
