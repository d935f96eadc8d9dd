"""aten::special_ndtri: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::special_ndtri in ONNX; `op` writes the nodes for the exporter that asks."""
    is_low = op.Less(self, op.constant(0.02425, like=self))
    is_high = op.Greater(self, op.constant(0.97575, like=self))
    q = op.Sub(self, op.constant(0.5, like=self))
    r = op.Mul(q, q)
    mul = op.Mul(op.constant(-39.69683028665376, like=self), r)
    p = op.Add(mul, op.constant(220.9460984245205, like=self))
    p_2 = p
    for c in [-275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239]:
        mul_2 = op.Mul(p_2, r)
        p_3 = op.Add(mul_2, op.constant(c, like=self))
        p_2 = p_3
    mul_3 = op.Mul(op.constant(-54.47609879822406, like=self), r)
    s = op.Add(mul_3, op.constant(161.5858368580409, like=self))
    s_2 = s
    for c_2 in [-155.6989798598866, 66.80131188771972, -13.28068155288572, 1.0]:
        mul_4 = op.Mul(s_2, r)
        s_3 = op.Add(mul_4, op.constant(c_2, like=self))
        s_2 = s_3
    sub = op.Sub(op.constant(1.0, like=self), self)
    tail = op.Where(is_low, self, sub)
    log = op.Log(tail)
    mul_5 = op.Mul(op.constant(-2.0, like=self), log)
    t = op.Sqrt(mul_5)
    mul_6 = op.Mul(op.constant(-0.007784894002430293, like=self), t)
    u = op.Sub(mul_6, op.constant(0.3223964580411365, like=self))
    u_2 = u
    for c_3 in [-2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783]:
        mul_7 = op.Mul(u_2, t)
        u_3 = op.Add(mul_7, op.constant(c_3, like=self))
        u_2 = u_3
    mul_8 = op.Mul(op.constant(0.007784695709041462, like=self), t)
    v = op.Add(mul_8, op.constant(0.3224671290700398, like=self))
    v_2 = v
    for c_4 in [2.445134137142996, 3.754408661907416, 1.0]:
        mul_9 = op.Mul(v_2, t)
        v_3 = op.Add(mul_9, op.constant(c_4, like=self))
        v_2 = v_3
    or_2 = op.Or(is_low, is_high)
    neg = op.Neg(u_2)
    where = op.Where(is_low, u_2, neg)
    div = op.Div(where, v_2)
    mul_10 = op.Mul(q, p_2)
    div_2 = op.Div(mul_10, s_2)
    found = op.Where(or_2, div, div_2)
    equal = op.Equal(tail, op.constant(0.0, like=self))
    cast_like = op.CastLike(op.constant(-float("inf"), like="FLOAT"), self)
    where_2 = op.Where(is_low, cast_like, op.constant(float("inf"), like=self))
    return op.Where(equal, where_2, found)


OP = _onnxop.Operator(
    name="aten::special_ndtri.default",
    existing="aten::special_ndtri.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_ndtri",
    doc="The operator aten::special_ndtri.",
    spec="sha256:bd3e50619d1c3de7b1eef01fa8a91e88cceff79b09b47c39d6c10d4ff7c1fdd7",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_ndtri.default


@_onnxop.script.scripted(OP)
def special_ndtri(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_ndtri.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_ndtri returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialNdtri(torch.nn.Module):
    """`special_ndtri` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_ndtri(
            input,
        )
