"""aten::lcm: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::lcm in ONNX; `op` writes the nodes for the exporter that asks."""
    a = op.Abs(self)
    b = op.Abs(other)
    b_2, a_2 = b, a
    for step in range(92):
        is_done = op.Equal(b_2, op.constant(0, like=other))
        where = op.Where(is_done, op.constant(1, like=other), b_2)
        rest = op.Mod(a_2, where)
        larger = op.Where(is_done, a_2, b_2)
        b_3 = op.Where(is_done, b_2, rest)
        b_2, a_2 = b_3, larger
    equal = op.Equal(a_2, op.constant(0, like=self))
    where_2 = op.Where(equal, op.constant(1, like=self), a_2)
    div = op.Div(self, where_2)
    mul = op.Mul(div, other)
    return op.Abs(mul)


OP = _onnxop.Operator(
    name="aten::lcm.default",
    existing="aten::lcm.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="lcm",
    doc="The operator aten::lcm.",
    spec="sha256:f89210ac6b46702793e69fd61112f19221d5c6f4e6ec7e1d4d82bd27739a19c3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.lcm.default


@_onnxop.script.scripted(OP)
def lcm(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::lcm.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::lcm returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Lcm(torch.nn.Module):
    """`lcm` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return lcm(
            input,
            other,
        )
