"""aten::erfinv: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::erfinv in ONNX; `op` writes the nodes for the exporter that asks."""
    sub = op.Sub(op.constant(1.0, like=self), self)
    add = op.Add(op.constant(1.0, like=self), self)
    mul = op.Mul(sub, add)
    log = op.Log(mul)
    w = op.Neg(log)
    near = op.Sub(w, op.constant(2.5, like=self))
    sqrt = op.Sqrt(w)
    far = op.Sub(sqrt, op.constant(3.0, like=self))
    mul_2 = op.Mul(near, op.constant(0.0, like=self))
    p = op.Add(mul_2, op.constant(2.81022636e-08, like=self))
    p_2 = p
    for c in [3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941]:  # fmt: skip
        mul_3 = op.Mul(p_2, near)
        p_3 = op.Add(mul_3, op.constant(c, like=self))
        p_2 = p_3
    mul_4 = op.Mul(far, op.constant(0.0, like=self))
    q = op.Sub(mul_4, op.constant(0.000200214257, like=self))
    q_2 = q
    for c_2 in [0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682]:  # fmt: skip
        mul_5 = op.Mul(q_2, far)
        q_3 = op.Add(mul_5, op.constant(c_2, like=self))
        q_2 = q_3
    less = op.Less(w, op.constant(5.0, like=self))
    where = op.Where(less, p_2, q_2)
    found = op.Mul(where, self)
    abs = op.Abs(self)
    equal = op.Equal(abs, op.constant(1.0, like=self))
    div = op.Div(self, op.constant(0.0, like=self))
    return op.Where(equal, div, found)


OP = _onnxop.Operator(
    name="aten::erfinv.default",
    existing="aten::erfinv.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="erfinv",
    doc="The operator aten::erfinv.",
    spec="sha256:add5a7786ee6c85a3bea2c4ee994c3c615c8acbbdec4a0a9a246c2d9f591257d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.erfinv.default


@_onnxop.script.scripted(OP)
def erfinv(
    self: Tensor,
) -> Tensor:
    """The operator aten::erfinv.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::erfinv returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Erfinv(torch.nn.Module):
    """`erfinv` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return erfinv(
            input,
        )
