"""aten::prelu: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, weight: Any) -> Any:
    """aten::prelu in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) > 1:
        slope = op.Reshape(weight, op.constant([-1] + [1] * (op.rank(self) - 2), like="INT64"))
    else:
        slope = op.Identity(weight)
    if op.rank(self) == 0:
        slope_3 = op.Reshape(weight, op.constant([], like="INT64"))
    else:
        slope_3 = slope
    return op.PRelu(self, slope_3)


OP = _onnxop.Operator(
    name="aten::prelu.default",
    existing="aten::prelu.default",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="prelu",
    doc="The operator aten::prelu.",
    spec="sha256:9d4d38fcf879636f1de775b979707fdeea7a47723105e86964f3894fe2ed7dbe",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.prelu.default


@_onnxop.script.scripted(OP)
def prelu(
    self: Tensor,
    weight: Tensor,
) -> Tensor:
    """The operator aten::prelu.

    Args:
        self: a tensor.
        weight: a tensor.

    Returns:
        What PyTorch's aten::prelu returns.
    """
    result: Tensor = _operator(
        self,
        weight,
    )
    return result


class Prelu(torch.nn.Module):
    """`prelu` as a module."""

    def forward(
        self,
        input: Tensor,
        weight: Tensor,
    ) -> Tensor:
        return prelu(
            input,
            weight,
        )
