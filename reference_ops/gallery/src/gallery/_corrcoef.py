"""aten::corrcoef: its rule in ONNX, and the function and module that call it."""

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
    cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), rows)
    slice = op.Slice(
        rows,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape = op.Shape(slice)
    ones = op.Expand(cast_like, shape)
    reduce_sum = op.ReduceSum(rows, op.constant([1], like="INT64"), keepdims=1)
    reduce_sum_2 = op.ReduceSum(ones, op.constant([0, 1], like="INT64"), keepdims=0)
    div = op.Div(reduce_sum, reduce_sum_2)
    centred = op.Sub(rows, div)
    transpose = op.Transpose(centred, perm=[1, 0])
    products = op.MatMul(centred, transpose)
    mul = op.Mul(centred, centred)
    reduce_sum_3 = op.ReduceSum(mul, op.constant([1], like="INT64"), keepdims=1)
    size = op.Sqrt(reduce_sum_3)
    div_2 = op.Div(products, size)
    transpose_2 = op.Transpose(size, perm=[1, 0])
    found = op.Div(div_2, transpose_2)
    is_na_n = op.IsNaN(found)
    clip = op.Clip(found, op.constant(-1.0, like=self), op.constant(1.0, like=self))
    found_2 = op.Where(is_na_n, found, clip)
    if op.rank(self) == 2:
        result = op.Squeeze(found_2)
    else:
        result = op.Reshape(found_2, op.constant([], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="aten::corrcoef.default",
    existing="aten::corrcoef.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(0),
    dynamo_opset=15,
    domain="gallery",
    op_type="corrcoef",
    doc="The correlations of the rows. Export it with dynamo=False: torch.export does not trace PyTorch's own, which compares values.",
    spec="sha256:f4b34b40c829ac61e844f84ef9d376c28be455185502872d6b20f0545b3169d1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.corrcoef.default


@_onnxop.script.scripted(OP)
def corrcoef(
    self: Tensor,
) -> Tensor:
    """The correlations of the rows. Export it with dynamo=False: torch.export does not trace PyTorch's own, which compares values.

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
