"""aten::polygamma: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, n: Any, self: Any) -> Any:
    """aten::polygamma in ONNX; `op` writes the nodes for the exporter that asks."""
    if n == 0:
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
        floor = op.Floor(self)
        fraction = op.Sub(self, floor)
        mul_5 = op.Mul(fraction, op.constant(3.141592653589793, like=self))
        tan = op.Tan(mul_5)
        div_3 = op.Div(op.constant(3.141592653589793, like=self), tan)
        reflected = op.Sub(found_4, div_3)
        equal = op.Equal(fraction, op.constant(0.0, like=self))
        is_pole = op.And(is_low, equal)
        constant_2 = op.Constant(value_float=-(float("inf") - float("inf")))
        cast_like = op.CastLike(constant_2, self)
        where = op.Where(is_low, reflected, found_4)
        result_4 = op.Where(is_pole, cast_like, where)
    else:
        if n == 1:
            is_low_2 = op.Less(self, op.constant(0.5, like=self))
            sub_5 = op.Sub(op.constant(1.0, like=self), self)
            shifted_2 = op.Where(is_low_2, sub_5, self)
            mul_6 = op.Mul(shifted_2, shifted_2)
            found_5 = op.Div(op.constant(1.0, like=self), mul_6)
            found_6 = found_5
            for k_2 in range(5):
                z_2 = op.Add(shifted_2, op.constant(float(k_2 + 1), like=self))
                mul_7 = op.Mul(z_2, z_2)
                div_4 = op.Div(op.constant(1.0, like=self), mul_7)
                found_7 = op.Add(found_6, div_4)
                found_6 = found_7
            y_2 = op.Add(shifted_2, op.constant(6.0, like=self))
            mul_8 = op.Mul(y_2, y_2)
            z_3 = op.Div(op.constant(1.0, like=self), mul_8)
            div_5 = op.Div(op.constant(0.5, like=self), y_2)
            add_3 = op.Add(op.constant(1.0, like=self), div_5)
            mul_9 = op.Mul(z_3, op.constant(0.023809523809523808, like=self))
            sub_6 = op.Sub(op.constant(0.03333333333333333, like=self), mul_9)
            mul_10 = op.Mul(z_3, sub_6)
            sub_7 = op.Sub(op.constant(0.16666666666666666, like=self), mul_10)
            mul_11 = op.Mul(z_3, sub_7)
            add_4 = op.Add(add_3, mul_11)
            div_6 = op.Div(add_4, y_2)
            found_8 = op.Add(found_6, div_6)
            mul_12 = op.Mul(self, op.constant(3.141592653589793, like=self))
            sine = op.Sin(mul_12)
            mul_13 = op.Mul(sine, sine)
            div_7 = op.Div(op.constant(9.869604401089358, like=self), mul_13)
            sub_8 = op.Sub(div_7, found_8)
            result_3 = op.Where(is_low_2, sub_8, found_8)
        else:
            is_low_3 = op.Less(self, op.constant(0.0, like=self))
            floor_2 = op.Floor(self)
            fraction_2 = op.Sub(self, floor_2)
            where_2 = op.Where(is_low_3, op.constant(1.0, like=self), self)
            q = op.Unsqueeze(where_2, op.constant([0], like="INT64"))
            sub_9 = op.Sub(op.constant(1.0, like=self), self)
            where_3 = op.Where(is_low_3, sub_9, op.constant(1.0, like=self))
            left = op.Unsqueeze(where_3, op.constant([0], like="INT64"))
            fraction_3 = op.Unsqueeze(fraction_2, op.constant([0], like="INT64"))
            sub_10 = op.Sub(op.constant(1.0, like=self), fraction_3)
            stack = op.Concat(q, fraction_3, sub_10, left, axis=0)
            total = op.Pow(stack, op.constant(-(n + 1.0), like="FLOAT"))
            total_2 = total
            for k_3 in range(23):
                add_5 = op.Add(stack, op.constant(float(k_3 + 1), like=self))
                pow = op.Pow(add_5, op.constant(-(n + 1.0), like="FLOAT"))
                total_3 = op.Add(total_2, pow)
                total_2 = total_3
            y_3 = op.Add(stack, op.constant(24.0, like=self))
            power = op.Pow(y_3, op.constant(-(n + 1.0), like="FLOAT"))
            mul_14 = op.Mul(op.constant((n + 1.0) / 12.0, like=self), power)
            div_8 = op.Div(mul_14, y_3)
            mul_15 = op.Mul(
                op.constant((n + 1.0) * (n + 1.0 + 1.0) * (n + 1.0 + 2.0) / 720.0, like=self),
                power,
            )
            mul_16 = op.Mul(y_3, y_3)
            mul_17 = op.Mul(mul_16, y_3)
            div_9 = op.Div(mul_15, mul_17)
            rest = op.Sub(div_8, div_9)
            equal_2 = op.Equal(power, op.constant(0.0, like=self))
            mul_18 = op.Mul(op.constant(0.5, like=self), power)
            add_6 = op.Add(mul_18, rest)
            rest_2 = op.Where(equal_2, op.constant(0.0, like=self), add_6)
            pow_2 = op.Pow(y_3, op.constant(1.0 - (n + 1.0), like="FLOAT"))
            div_10 = op.Div(pow_2, op.constant(n + 1.0 - 1.0, like=self))
            add_7 = op.Add(total_2, div_10)
            total_4 = op.Add(add_7, rest_2)
            found_9 = op.Gather(total_4, op.constant(0, like="INT64"), axis=0)
            gather = op.Gather(total_4, op.constant(1, like="INT64"), axis=0)
            gather_2 = op.Gather(total_4, op.constant(2, like="INT64"), axis=0)
            gather_3 = op.Gather(total_4, op.constant(3, like="INT64"), axis=0)
            sub_11 = op.Sub(gather_2, gather_3)
            mul_19 = op.Mul(op.constant(1.0 if n % 2 == 1 else -1.0, like=self), sub_11)
            both = op.Add(gather, mul_19)
            less_or_equal = op.LessOrEqual(self, op.constant(0.0, like=self))
            floor_3 = op.Floor(self)
            equal_3 = op.Equal(floor_3, self)
            is_pole_2 = op.And(less_or_equal, equal_3)
            constant_3 = op.Constant(value_float=-(float("inf") - float("inf")))
            nan = op.CastLike(constant_3, self)
            is_inf = op.IsInf(self)
            where_4 = op.Where(is_low_3, both, found_9)
            found_10 = op.Where(is_inf, nan, where_4)
            found_11 = op.Where(is_pole_2, op.constant(float("inf"), like=self), found_10)
            found_12 = found_11
            for k_4 in range(n):
                found_13 = op.Mul(found_12, op.constant(k_4 + 1.0, like=self))
                found_12 = found_13
            result_3 = op.Mul(found_12, op.constant(1.0 if n % 2 == 1 else -1.0, like=self))
        result_4 = result_3
    return result_4


OP = _onnxop.Operator(
    name="aten::polygamma.default",
    existing="aten::polygamma.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="polygamma",
    doc="The operator aten::polygamma.",
    spec="sha256:203227769aa13af3ce55f714da3218a520fe743aa804cd42b4378afda3d0759a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.polygamma.default


@_onnxop.script.scripted(OP)
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
