"""aten::nanmedian: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::nanmedian in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        indices = op.Constant(value_int=0)
        result, result_2 = self, indices
    else:
        equal = op.Equal(self, self)
        is_nan = op.Not(equal)
        constant_2 = op.Constant(value_float=float("inf"))
        infinite = op.CastLike(constant_2, self)
        shape = op.Shape(self)
        count = op.Gather(shape, op.constant([dim % op.rank(self)], like="INT64"))
        where = op.Where(is_nan, infinite, self)
        values, _indices_2 = op.TopK(where, count, axis=dim, largest=0, _outputs=2)
        not_2 = op.Not(is_nan)
        cast = op.Cast(not_2, to=7)
        numbers = op.ReduceSum(cast, op.constant([dim], like="INT64"), keepdims=1)
        sub = op.Sub(numbers, op.constant(1, like="INT64"))
        max = op.Max(sub, op.constant(0, like="INT64"))
        div = op.Div(max, op.constant(2, like="INT64"))
        middle = op.GatherElements(values, div, axis=dim)
        equal_2 = op.Equal(numbers, op.constant(0, like="INT64"))
        slice = op.Slice(
            self,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([dim], like="INT64"),
        )
        value = op.Where(equal_2, slice, middle)
        equal_3 = op.Equal(self, value)
        cast_2 = op.Cast(equal_3, to=6)
        place = op.ArgMax(cast_2, axis=dim, keepdims=1)
        if keepdim:
            values_2 = value
        else:
            values_2 = op.Squeeze(value, op.constant([dim], like="INT64"))
        if keepdim:
            indices_3 = place
        else:
            indices_3 = op.Squeeze(place, op.constant([dim], like="INT64"))
        result, result_2 = values_2, indices_3
    result_3 = op.Identity(result)
    return result_3, result_2


OP = _onnxop.Operator(
    name="aten::nanmedian.dim",
    called="nanmedian_dim",
    existing="aten::nanmedian.dim",
    results=[
        "values",
        "indices",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="nanmedian_dim",
    doc="The operator aten::nanmedian.dim.",
    spec="sha256:23292eae8811676b55daff9ea3767ddd674440c794a28b9ee4b18c5d786844c2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nanmedian.dim


@_onnxop.script.scripted(OP)
def nanmedian_dim(
    self: Tensor,
    dim: int,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::nanmedian.dim.

    Args:
        self: a tensor.
        dim: an integer.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::nanmedian returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class NanmedianDim(torch.nn.Module):
    """`nanmedian_dim` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return nanmedian_dim(
            input,
            self.dim,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
