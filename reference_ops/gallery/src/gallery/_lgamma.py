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
    shifted = op.Where(is_low, sub, self)
    greater = op.Greater(shifted, op.constant(1.5, like=self))
    less = op.Less(shifted, op.constant(2.5, like=self))
    is_two = op.And(greater, less)
    sub_2 = op.Sub(shifted, op.constant(2.0, like=self))
    sub_3 = op.Sub(shifted, op.constant(1.0, like=self))
    z = op.Where(is_two, sub_2, sub_3)
    add = op.Add(z, op.constant(1.0, like=self))
    div = op.Div(op.constant(676.5203681218851, like=self), add)
    a = op.Add(op.constant(0.9999999999998099, like=self), div)
    add_2 = op.Add(z, op.constant(1.0, like=self))
    slope = op.Div(op.constant(676.5203681218851, like=self), add_2)
    a_2, slope_2 = a, slope
    for k, c in enumerate([-1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905, -0.13857109526572012, 9.984369578019572e-06, 1.5056327351493116e-07]):  # fmt: skip
        add_3 = op.Add(z, op.constant(float(k + 2), like=self))
        part = op.Div(op.constant(c, like=self), add_3)
        a_3 = op.Add(a_2, part)
        div_2 = op.Div(part, op.constant(float(k + 2), like=self))
        slope_3 = op.Add(slope_2, div_2)
        a_2, slope_2 = a_3, slope_3
    add_4 = op.Add(z, op.constant(0.5, like=self))
    add_5 = op.Add(z, op.constant(7.5, like=self))
    log = op.Log(add_5)
    sub_4 = op.Sub(log, op.constant(1.0, like=self))
    mul = op.Mul(add_4, sub_4)
    add_6 = op.Add(op.constant(0.9189385332046727, like=self), mul)
    sub_5 = op.Sub(add_6, op.constant(7.0, like=self))
    log_2 = op.Log(a_2)
    found = op.Add(sub_5, log_2)
    add_7 = op.Add(z, op.constant(7.5, like=self))
    log_3 = op.Log(add_7)
    sub_6 = op.Sub(log_3, op.constant(1.0, like=self))
    near = op.Mul(z, sub_6)
    div_3 = op.Div(z, op.constant(7.5, like=self))
    div_4 = op.Div(z, op.constant(7.5, like=self))
    add_8 = op.Add(op.constant(1.0, like=self), div_4)
    sqrt = op.Sqrt(add_8)
    add_9 = op.Add(op.constant(1.0, like=self), sqrt)
    div_5 = op.Div(div_3, add_9)
    mul_2 = op.Mul(slope_2, z)
    div_6 = op.Div(mul_2, op.constant(-263.3831869810514, like=self))
    where = op.Where(is_two, z, op.constant(0.0, like=self))
    tensors = [div_5, div_6, where]
    near_2 = near
    for y in tensors:
        above = op.Add(y, op.constant(1.0, like=self))
        equal = op.Equal(above, op.constant(1.0, like=self))
        log_4 = op.Log(above)
        mul_3 = op.Mul(log_4, y)
        sub_7 = op.Sub(above, op.constant(1.0, like=self))
        div_7 = op.Div(mul_3, sub_7)
        where_2 = op.Where(equal, y, div_7)
        near_3 = op.Add(near_2, where_2)
        near_2 = near_3
    abs = op.Abs(z)
    less_2 = op.Less(abs, op.constant(0.51, like=self))
    found_2 = op.Where(less_2, near_2, found)
    round = op.Round(self)
    fraction = op.Sub(self, round)
    mul_4 = op.Mul(fraction, op.constant(3.141592653589793, like=self))
    sin = op.Sin(mul_4)
    abs_2 = op.Abs(sin)
    log_5 = op.Log(abs_2)
    sub_8 = op.Sub(op.constant(1.1447298858494002, like=self), log_5)
    reflected = op.Sub(sub_8, found_2)
    is_inf = op.IsInf(self)
    abs_3 = op.Abs(self)
    where_3 = op.Where(is_low, reflected, found_2)
    return op.Where(is_inf, abs_3, where_3)


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
    spec="sha256:6de1efb51ad642b6ba9079a5af456f0b1acdda0f0b86753cea9be4943255537f",
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
