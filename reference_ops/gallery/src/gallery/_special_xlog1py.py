"""aten::special_xlog1py: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::special_xlog1py in ONNX; `op` writes the nodes for the exporter that asks."""
    sum = op.Add(op.constant(1.0, like=other), other)
    rounded = op.Sub(sum, op.constant(1.0, like=other))
    equal = op.Equal(rounded, other)
    log = op.Log(sum)
    equal_2 = op.Equal(rounded, op.constant(0.0, like=other))
    log_2 = op.Log(sum)
    mul = op.Mul(log_2, other)
    div = op.Div(mul, rounded)
    where = op.Where(equal_2, other, div)
    log_3 = op.Where(equal, log, where)
    equal_3 = op.Equal(self, op.constant(0.0, like=self))
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), log_3)
    mul_2 = op.Mul(self, log_3)
    found = op.Where(equal_3, cast_like, mul_2)
    is_na_n = op.IsNaN(other)
    return op.Where(is_na_n, other, found)


OP = _onnxop.Operator(
    name="aten::special_xlog1py.default",
    existing="aten::special_xlog1py.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_xlog1py",
    doc="The operator aten::special_xlog1py.",
    spec="sha256:d29ea684c0d91a9fbd9ccd251cb17817cc9657ea72fb0324e15e518fd43ff566",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_xlog1py.default


@_onnxop.script.scripted(OP)
def special_xlog1py(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::special_xlog1py.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::special_xlog1py returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class SpecialXlog1py(torch.nn.Module):
    """`special_xlog1py` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return special_xlog1py(
            input,
            other,
        )
