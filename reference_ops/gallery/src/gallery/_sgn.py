"""aten::sgn: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::sgn in ONNX; `op` writes the nodes for the exporter that asks."""
    equal = op.Equal(self, self)
    where = op.Where(equal, self, op.constant(0, like=self))
    return op.Sign(where)


OP = _onnxop.Operator(
    name="aten::sgn.default",
    existing="aten::sgn.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="sgn",
    doc="The operator aten::sgn.",
    spec="sha256:2546d252ad9b2bf672f43e80a31c92b2998f9a2a3f44d0acfc7cb8b377bea3f3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.sgn.default


@_onnxop.script.scripted(OP)
def sgn(
    self: Tensor,
) -> Tensor:
    """The operator aten::sgn.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::sgn returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Sgn(torch.nn.Module):
    """`sgn` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return sgn(
            input,
        )
