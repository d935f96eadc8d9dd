"""aten::angle: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::angle in ONNX; `op` writes the nodes for the exporter that asks."""
    less = op.Less(self, op.constant(0.0, like=self))
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), self)
    found = op.Where(less, op.constant(3.141592653589793, like=self), cast_like)
    is_na_n = op.IsNaN(self)
    return op.Where(is_na_n, self, found)


OP = _onnxop.Operator(
    name="aten::angle.default",
    existing="aten::angle.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="angle",
    doc="The operator aten::angle.",
    spec="sha256:712776b15ff67a35920c84692e39b97b9d303004c985d919bf8a769d84e07aa5",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.angle.default


@_onnxop.script.scripted(OP)
def angle(
    self: Tensor,
) -> Tensor:
    """The operator aten::angle.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::angle returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Angle(torch.nn.Module):
    """`angle` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return angle(
            input,
        )
