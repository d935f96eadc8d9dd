"""aten::polygamma: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, n: Any, self: Any) -> Any:
    """aten::polygamma in ONNX; `op` writes the nodes for the exporter that asks."""
    if n == 0:
        found = op.Mul(self, op.constant(0.0, like=self))
        found_2 = found
        for k in range(12):
            add = op.Add(self, op.constant(float(k), like=self))
            div = op.Div(op.constant(1.0, like=self), add)
            found_3 = op.Sub(found_2, div)
            found_2 = found_3
        y = op.Add(self, op.constant(12.0, like=self))
        mul = op.Mul(y, y)
        z = op.Div(op.constant(1.0, like=self), mul)
        log = op.Log(y)
        add_2 = op.Add(found_2, log)
        div_2 = op.Div(op.constant(0.5, like=self), y)
        sub = op.Sub(add_2, div_2)
        mul_2 = op.Mul(z, op.constant(0.003968253968253968, like=self))
        sub_2 = op.Sub(op.constant(0.008333333333333333, like=self), mul_2)
        mul_3 = op.Mul(z, sub_2)
        sub_3 = op.Sub(op.constant(0.08333333333333333, like=self), mul_3)
        mul_4 = op.Mul(z, sub_3)
        found_9 = op.Sub(sub, mul_4)
    else:
        found_5 = op.Mul(self, op.constant(0.0, like=self))
        found_6 = found_5
        for k_2 in range(24):
            add_3 = op.Add(self, op.constant(float(k_2), like=self))
            pow = op.Pow(add_3, op.constant(-(n + 1.0), like="FLOAT"))
            found_7 = op.Add(found_6, pow)
            found_6 = found_7
        y_2 = op.Add(self, op.constant(24.0, like=self))
        pow_2 = op.Pow(y_2, op.constant(-(n + 0.0), like="FLOAT"))
        div_3 = op.Div(pow_2, op.constant(n + 0.0, like=self))
        pow_3 = op.Pow(y_2, op.constant(-(n + 1.0), like="FLOAT"))
        mul_5 = op.Mul(op.constant(0.5, like=self), pow_3)
        add_4 = op.Add(div_3, mul_5)
        pow_4 = op.Pow(y_2, op.constant(-(n + 2.0), like="FLOAT"))
        mul_6 = op.Mul(op.constant((n + 1.0) / 12.0, like=self), pow_4)
        tail = op.Add(add_4, mul_6)
        mul_7 = op.Mul(self, op.constant(0.0, like=self))
        factorial = op.Add(mul_7, op.constant(1.0 if n % 2 == 1 else -1.0, like=self))
        factorial_2 = factorial
        for k_3 in range(n):
            factorial_3 = op.Mul(factorial_2, op.constant(k_3 + 1.0, like=self))
            factorial_2 = factorial_3
        add_5 = op.Add(found_6, tail)
        found_9 = op.Mul(add_5, factorial_2)
    return found_9


OP = _onnxop.Operator(
    name="aten::polygamma.default",
    existing="aten::polygamma.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="polygamma",
    doc="The operator aten::polygamma.",
    spec="sha256:c045225e7ececaef99e41de439179da05f2c7fed5698d57ce9d8def520085b07",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.polygamma.default


def polygamma(
    n: int,
    self: Tensor,
) -> Tensor:
    """The operator aten::polygamma.

    Args:
        n: an integer.
        self: a tensor.

    Returns:
        What PyTorch's aten::polygamma returns.
    """
    result: Tensor = _operator(
        n,
        self,
    )
    return result


class Polygamma(torch.nn.Module):
    """`polygamma` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        n: int,
    ) -> None:
        super().__init__()
        self.n = n

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return polygamma(
            self.n,
            input,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"n={self.n}",
            ]
        )
