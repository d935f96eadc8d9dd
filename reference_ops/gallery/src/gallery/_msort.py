"""aten::msort: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::msort in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        result_2 = self
    else:
        equal = op.Equal(self, self)
        is_nan = op.Not(equal)
        constant_2 = op.Constant(value_float=float("inf"))
        infinite = op.CastLike(constant_2, self)
        shape = op.Shape(self)
        length = op.Slice(
            shape,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        where = op.Where(is_nan, infinite, self)
        values, _indices = op.TopK(where, length, axis=0, largest=0, _outputs=2)
        not_2 = op.Not(is_nan)
        cast = op.Cast(not_2, to=7)
        numbers = op.ReduceSum(cast, op.constant([0], like="INT64"), keepdims=1)
        squeeze = op.Squeeze(length, op.constant([0], like="INT64"))
        range = op.Range(op.constant(0, like="INT64"), squeeze, op.constant(1, like="INT64"))
        place = op.Reshape(range, op.constant([-1] + [1] * (op.rank(self) - 1), like="INT64"))
        constant_3 = op.Constant(value_float=-(float("inf") - float("inf")))
        nan = op.CastLike(constant_3, self)
        less = op.Less(place, numbers)
        result_2 = op.Where(less, values, nan)
    return op.Identity(result_2)


OP = _onnxop.Operator(
    name="aten::msort.default",
    existing="aten::msort.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="msort",
    doc="The operator aten::msort.",
    spec="sha256:bdfe0ed5164caf0fb23d8e0f7c40485bfb1dbca5df4ea15648c5b26775a2eb1a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.msort.default


@_onnxop.script.scripted(OP)
def msort(
    self: Tensor,
) -> Tensor:
    """The operator aten::msort.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::msort returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Msort(torch.nn.Module):
    """`msort` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return msort(
            input,
        )
