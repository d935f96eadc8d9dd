"""aten::logcumsumexp: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, self: Any, dim: Any) -> Any:
    """aten::logcumsumexp in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        result_2 = self
    else:
        shape = op.Shape(self)
        gather = op.Gather(shape, op.constant(dim % op.rank(self), like="INT64"))
        index = op.Range(op.constant(0, like="INT64"), gather, op.constant(1, like="INT64"))
        row = op.Reshape(
            index,
            op.constant([1, -1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        column = op.Reshape(
            index,
            op.constant([-1, 1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        is_before = op.LessOrEqual(row, column)
        slice = op.Slice(
            self,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([dim % op.rank(self)], like="INT64"),
        )
        first = op.Unsqueeze(slice, op.constant([dim % op.rank(self)], like="INT64"))
        unsqueeze = op.Unsqueeze(self, op.constant([dim % op.rank(self)], like="INT64"))
        before = op.Where(is_before, unsqueeze, first)
        is_na_n = op.IsNaN(before)
        clean = op.Where(is_na_n, op.constant(0.0, like=self), before)
        largest = op.ReduceMax(clean, axes=[dim % op.rank(self) + 1], keepdims=1)
        sub = op.Sub(largest, largest)
        equal = op.Equal(sub, op.constant(0.0, like=self))
        largest_2 = op.Where(equal, largest, op.constant(0.0, like=self))
        sub_2 = op.Sub(before, largest_2)
        exp = op.Exp(sub_2)
        parts = op.Where(is_before, exp, op.constant(0.0, like=self))
        reduce_sum = op.ReduceSum(
            parts,
            op.constant([dim % op.rank(self) + 1], like="INT64"),
            keepdims=1,
        )
        log = op.Log(reduce_sum)
        found = op.Add(log, largest_2)
        shape_2 = op.Shape(self)
        result_2 = op.Reshape(found, shape_2, allowzero=1)
    return op.Identity(result_2)


def rule_18(op: Any, self: Any, dim: Any) -> Any:
    """aten::logcumsumexp in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        result_2 = self
    else:
        shape = op.Shape(self)
        gather = op.Gather(shape, op.constant(dim % op.rank(self), like="INT64"))
        index = op.Range(op.constant(0, like="INT64"), gather, op.constant(1, like="INT64"))
        row = op.Reshape(
            index,
            op.constant([1, -1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        column = op.Reshape(
            index,
            op.constant([-1, 1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        is_before = op.LessOrEqual(row, column)
        slice = op.Slice(
            self,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([dim % op.rank(self)], like="INT64"),
        )
        first = op.Unsqueeze(slice, op.constant([dim % op.rank(self)], like="INT64"))
        unsqueeze = op.Unsqueeze(self, op.constant([dim % op.rank(self)], like="INT64"))
        before = op.Where(is_before, unsqueeze, first)
        is_na_n = op.IsNaN(before)
        clean = op.Where(is_na_n, op.constant(0.0, like=self), before)
        largest = op.ReduceMax(
            clean,
            op.constant([dim % op.rank(self) + 1], like="INT64"),
            keepdims=1,
        )
        sub = op.Sub(largest, largest)
        equal = op.Equal(sub, op.constant(0.0, like=self))
        largest_2 = op.Where(equal, largest, op.constant(0.0, like=self))
        sub_2 = op.Sub(before, largest_2)
        exp = op.Exp(sub_2)
        parts = op.Where(is_before, exp, op.constant(0.0, like=self))
        reduce_sum = op.ReduceSum(
            parts,
            op.constant([dim % op.rank(self) + 1], like="INT64"),
            keepdims=1,
        )
        log = op.Log(reduce_sum)
        found = op.Add(log, largest_2)
        shape_2 = op.Shape(self)
        result_2 = op.Reshape(found, shape_2, allowzero=1)
    return op.Identity(result_2)


OP = _onnxop.Operator(
    name="aten::logcumsumexp.default",
    existing="aten::logcumsumexp.default",
    rules={
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="logcumsumexp",
    doc="The operator aten::logcumsumexp.",
    spec="sha256:20fa83116058b7855cdfa026afb8b80c692316adafae6571557853d22c36710f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.logcumsumexp.default


@_onnxop.script.scripted(OP)
def logcumsumexp(
    self: Tensor,
    dim: int,
) -> Tensor:
    """The operator aten::logcumsumexp.

    Args:
        self: a tensor.
        dim: an integer.

    Returns:
        What PyTorch's aten::logcumsumexp returns.
    """
    result: Tensor = _operator(
        self,
        dim,
    )
    return result


class Logcumsumexp(torch.nn.Module):
    """`logcumsumexp` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return logcumsumexp(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
