"""aten::corrcoef: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::corrcoef in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 2:
        rows = op.Identity(self)
    else:
        rows = op.Reshape(self, op.constant([1, -1], like="INT64"))
    slice = op.Slice(
        rows,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    mul = op.Mul(slice, op.constant(0.0, like=self))
    add = op.Add(mul, op.constant(1.0, like=self))
    length = op.ReduceSum(add, op.constant([0, 1], like="INT64"), keepdims=0)
    reduce_sum = op.ReduceSum(rows, op.constant([1], like="INT64"), keepdims=1)
    div = op.Div(reduce_sum, length)
    centred = op.Sub(rows, div)
    transpose = op.Transpose(centred, perm=[1, 0])
    products = op.MatMul(centred, transpose)
    mul_2 = op.Mul(centred, centred)
    reduce_sum_2 = op.ReduceSum(mul_2, op.constant([1], like="INT64"), keepdims=1)
    size = op.Sqrt(reduce_sum_2)
    div_2 = op.Div(products, size)
    transpose_2 = op.Transpose(size, perm=[1, 0])
    div_3 = op.Div(div_2, transpose_2)
    found = op.Clip(div_3, op.constant(-1.0, like=self), op.constant(1.0, like=self))
    if op.rank(self) == 2:
        result = found
    else:
        result = op.Reshape(found, op.constant([], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="aten::corrcoef.default",
    existing="aten::corrcoef.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="corrcoef",
    doc="The operator aten::corrcoef.",
    spec="sha256:17d61e9b338da06b20dee23bd55a2f0f776e27f278e325b85e6197a02cbc8149",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.corrcoef.default


def corrcoef(
    self: Tensor,
) -> Tensor:
    """The operator aten::corrcoef.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::corrcoef returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Corrcoef(torch.nn.Module):
    """`corrcoef` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return corrcoef(
            input,
        )
