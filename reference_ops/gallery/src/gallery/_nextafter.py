"""aten::nextafter: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::nextafter in ONNX; `op` writes the nodes for the exporter that asks."""
    cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), self)
    shape = op.Shape(self)
    one = op.Expand(cast_like, shape)
    add = op.Add(one, op.constant(1e-10, like=self))
    is_single = op.Equal(add, op.constant(1.0, like=self))
    mul = op.Mul(op.constant(5.960464477539063e-08, like=self), one)
    unit = op.Where(is_single, mul, op.constant(1.1102230246251565e-16, like=self))
    mul_2 = op.Mul(op.constant(1.401298464324817e-45, like=self), one)
    least = op.Where(is_single, mul_2, op.constant(5e-324, like=self))
    mul_3 = op.Mul(op.constant(3.4028234663852886e38, like=self), one)
    most = op.Where(is_single, mul_3, op.constant(1.7976931348623157e308, like=self))
    is_up = op.Greater(other, self)
    neg = op.Neg(self)
    start = op.Where(is_up, self, neg)
    size = op.Abs(start)
    mul_4 = op.Mul(op.constant(2.0, like=self), unit)
    add_2 = op.Add(op.constant(1.0, like=self), mul_4)
    phi = op.Mul(unit, add_2)
    mul_5 = op.Mul(phi, size)
    plain = op.Add(start, mul_5)
    large = op.Div(start, unit)
    abs = op.Abs(large)
    mul_6 = op.Mul(phi, abs)
    add_3 = op.Add(large, mul_6)
    scaled = op.Mul(unit, add_3)
    div = op.Div(least, unit)
    less = op.Less(size, div)
    add_4 = op.Add(start, least)
    mul_7 = op.Mul(op.constant(0.5, like=self), least)
    div_2 = op.Div(mul_7, unit)
    div_3 = op.Div(div_2, unit)
    less_2 = op.Less(size, div_3)
    where = op.Where(less_2, scaled, plain)
    found = op.Where(less, add_4, where)
    is_inf = op.IsInf(start)
    neg_2 = op.Neg(most)
    found_2 = op.Where(is_inf, neg_2, found)
    equal = op.Equal(found_2, op.constant(0.0, like=self))
    mul_8 = op.Mul(op.constant(0.0, like=self), start)
    found_3 = op.Where(equal, mul_8, found_2)
    neg_3 = op.Neg(found_3)
    found_4 = op.Where(is_up, found_3, neg_3)
    equal_2 = op.Equal(self, other)
    found_5 = op.Where(equal_2, other, found_4)
    is_na_n = op.IsNaN(self)
    is_na_n_2 = op.IsNaN(other)
    where_2 = op.Where(is_na_n_2, other, found_5)
    return op.Where(is_na_n, self, where_2)


OP = _onnxop.Operator(
    name="aten::nextafter.default",
    existing="aten::nextafter.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="nextafter",
    doc="The operator aten::nextafter.",
    spec="sha256:d373470d176177b3d79c0c20854a6378aaf59976e55cbddc62cb32fd111c3182",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nextafter.default


@_onnxop.script.scripted(OP)
def nextafter(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::nextafter.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::nextafter returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Nextafter(torch.nn.Module):
    """`nextafter` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return nextafter(
            input,
            other,
        )
