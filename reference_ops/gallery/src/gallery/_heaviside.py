"""aten::heaviside: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, values: Any) -> Any:
    """aten::heaviside in ONNX; `op` writes the nodes for the exporter that asks."""
    equal = op.Equal(self, op.constant(0, like=self))
    greater = op.Greater(self, op.constant(0, like=self))
    cast_like = op.CastLike(greater, self)
    return op.Where(equal, values, cast_like)


OP = _onnxop.Operator(
    name="aten::heaviside.default",
    existing="aten::heaviside.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="heaviside",
    doc="The operator aten::heaviside.",
    spec="sha256:1e8a1dc838dc27509d3651975510874a2b4e656543cd197de50793789fafb788",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.heaviside.default


@_onnxop.script.scripted(OP)
def heaviside(
    self: Tensor,
    values: Tensor,
) -> Tensor:
    """The operator aten::heaviside.

    Args:
        self: a tensor.
        values: a tensor.

    Returns:
        What PyTorch's aten::heaviside returns.
    """
    result: Tensor = _operator(
        self,
        values,
    )
    return result


class Heaviside(torch.nn.Module):
    """`heaviside` as a module."""

    def forward(
        self,
        input: Tensor,
        values: Tensor,
    ) -> Tensor:
        return heaviside(
            input,
            values,
        )
