"""aten::mvlgamma: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, p: Any) -> Any:
    """aten::mvlgamma in ONNX; `op` writes the nodes for the exporter that asks."""
    unsqueeze = op.Unsqueeze(self, op.constant([-1], like="INT64"))
    x = op.Sub(unsqueeze, op.constant([0.5 * j for j in range(p)], like=self))
    is_low = op.Less(x, op.constant(0.5, like=self))
    sub = op.Sub(op.constant(1.0, like=self), x)
    where = op.Where(is_low, sub, x)
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
    floor = op.Floor(x)
    fraction = op.Sub(x, floor)
    mul_2 = op.Mul(fraction, op.constant(3.141592653589793, like=self))
    sin = op.Sin(mul_2)
    abs = op.Abs(sin)
    log_3 = op.Log(abs)
    sub_4 = op.Sub(op.constant(1.1447298858494002, like=self), log_3)
    reflected = op.Sub(sub_4, found)
    is_inf = op.IsInf(x)
    abs_2 = op.Abs(x)
    where_2 = op.Where(is_low, reflected, found)
    found_2 = op.Where(is_inf, abs_2, where_2)
    reduce_sum = op.ReduceSum(found_2, op.constant([-1], like="INT64"), keepdims=0)
    return op.Add(reduce_sum, op.constant(0.2861824714623501 * p * (p - 1), like=self))


OP = _onnxop.Operator(
    name="aten::mvlgamma.default",
    existing="aten::mvlgamma.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="mvlgamma",
    doc="The operator aten::mvlgamma.",
    spec="sha256:9df6a041e02c576a6f0ffaf4f7d636ffcfc65ef5b11de7099a018af459b0c4b0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.mvlgamma.default


@_onnxop.script.scripted(OP)
def mvlgamma(
    self: Tensor,
    p: int,
) -> Tensor:
    """The operator aten::mvlgamma.

    Args:
        self: a tensor.
        p: an integer.

    Returns:
        What PyTorch's aten::mvlgamma returns.
    """
    result: Tensor = _operator(
        self,
        p,
    )
    return result


class Mvlgamma(torch.nn.Module):
    """`mvlgamma` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        p: int,
    ) -> None:
        super().__init__()
        self.p = p

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return mvlgamma(
            input,
            self.p,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"p={self.p}",
            ]
        )
