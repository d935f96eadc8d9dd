"""aten::argwhere: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::argwhere in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) > 0:
        non_zero = op.NonZero(self)
        result_3 = op.Transpose(non_zero, perm=[1, 0])
    else:
        cast = op.Cast(self, to=9)
        cast_2 = op.Cast(cast, to=7)
        count = op.Reshape(cast_2, op.constant([1], like="INT64"))
        concat = op.Concat(count, op.constant([0], like="INT64"), axis=0)
        constant_of_shape = op.ConstantOfShape(concat)
        result_3 = op.Cast(constant_of_shape, to=7)
    return result_3


OP = _onnxop.Operator(
    name="aten::argwhere.default",
    existing="aten::argwhere.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="argwhere",
    doc="The operator aten::argwhere.",
    spec="sha256:ee184f12abe4cf4fbf3b9e964fd07b44fbd064d23230d340f09a3fb56c8190ea",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.argwhere.default


@_onnxop.script.scripted(OP)
def argwhere(
    self: Tensor,
) -> Tensor:
    """The operator aten::argwhere.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::argwhere returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Argwhere(torch.nn.Module):
    """`argwhere` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return argwhere(
            input,
        )
