"""aten::any: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::any in ONNX; `op` writes the nodes for the exporter that asks."""
    reshape = op.Reshape(self, op.constant([-1], like="INT64"))
    cast = op.Cast(reshape, to=9)
    cast_2 = op.Cast(cast, to=6)
    reduce_sum = op.ReduceSum(cast_2, op.constant([0], like="INT64"), keepdims=0)
    return op.Cast(reduce_sum, to=9)


OP = _onnxop.Operator(
    name="aten::any.default",
    existing="aten::any.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="any",
    doc="The operator aten::any.",
    spec="sha256:c38fabd431b81bd524ba55f7354bfab227d4649b604f1c551f8fd1773ec7595f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.any.default


@_onnxop.script.scripted(OP)
def any(
    self: Tensor,
) -> Tensor:
    """The operator aten::any.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::any returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class AnyOp(torch.nn.Module):
    """`any` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return any(
            input,
        )
