"""aten::cummin: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, self: Any, dim: Any) -> Any:
    """aten::cummin in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        indices = op.Constant(value_int=0)
        result, result_2 = self, indices
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
        equal = op.Equal(before, before)
        is_nan = op.Not(equal)
        clean = op.Where(is_nan, op.constant(0, like=self), before)
        least = op.ReduceMin(clean, axes=[dim % op.rank(self) + 1], keepdims=1)
        where = op.Where(is_nan, before, op.constant(0, like=self))
        nan = op.ReduceSum(where, op.constant([dim % op.rank(self) + 1], like="INT64"), keepdims=1)
        is_whole = op.Equal(nan, op.constant(0, like=self))
        equal_2 = op.Equal(clean, least)
        and_2 = op.And(is_whole, equal_2)
        not_2 = op.Not(is_whole)
        and_3 = op.And(not_2, is_nan)
        is_there = op.Or(and_2, and_3)
        and_4 = op.And(is_there, is_before)
        places = op.Where(and_4, row, op.constant(-1, like="INT64"))
        place = op.ReduceMax(places, axes=[dim % op.rank(self) + 1], keepdims=0)
        size = op.Shape(self)
        where_2 = op.Where(is_whole, least, nan)
        values = op.Reshape(where_2, size, allowzero=1)
        indices_2 = op.Reshape(place, size, allowzero=1)
        result, result_2 = values, indices_2
    result_3 = op.Identity(result)
    return result_3, result_2


def rule_18(op: Any, self: Any, dim: Any) -> Any:
    """aten::cummin in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        indices = op.Constant(value_int=0)
        result, result_2 = self, indices
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
        equal = op.Equal(before, before)
        is_nan = op.Not(equal)
        clean = op.Where(is_nan, op.constant(0, like=self), before)
        least = op.ReduceMin(
            clean,
            op.constant([dim % op.rank(self) + 1], like="INT64"),
            keepdims=1,
        )
        where = op.Where(is_nan, before, op.constant(0, like=self))
        nan = op.ReduceSum(where, op.constant([dim % op.rank(self) + 1], like="INT64"), keepdims=1)
        is_whole = op.Equal(nan, op.constant(0, like=self))
        equal_2 = op.Equal(clean, least)
        and_2 = op.And(is_whole, equal_2)
        not_2 = op.Not(is_whole)
        and_3 = op.And(not_2, is_nan)
        is_there = op.Or(and_2, and_3)
        and_4 = op.And(is_there, is_before)
        places = op.Where(and_4, row, op.constant(-1, like="INT64"))
        place = op.ReduceMax(
            places,
            op.constant([dim % op.rank(self) + 1], like="INT64"),
            keepdims=0,
        )
        size = op.Shape(self)
        where_2 = op.Where(is_whole, least, nan)
        values = op.Reshape(where_2, size, allowzero=1)
        indices_2 = op.Reshape(place, size, allowzero=1)
        result, result_2 = values, indices_2
    result_3 = op.Identity(result)
    return result_3, result_2


OP = _onnxop.Operator(
    name="aten::cummin.default",
    existing="aten::cummin.default",
    results=[
        "values",
        "indices",
    ],
    rules={
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="cummin",
    doc="The operator aten::cummin.",
    spec="sha256:51e399302a7a05af68a23f161de60f76afb60d7632f3009296f20a18e0f94877",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cummin.default


@_onnxop.script.scripted(OP)
def cummin(
    self: Tensor,
    dim: int,
) -> tuple[Tensor, Tensor]:
    """The operator aten::cummin.

    Args:
        self: a tensor.
        dim: an integer.

    Returns:
        What PyTorch's aten::cummin returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        dim,
    )
    return result


class Cummin(torch.nn.Module):
    """`cummin` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return cummin(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
