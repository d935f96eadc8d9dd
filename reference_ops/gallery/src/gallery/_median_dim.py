"""aten::median: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::median in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        indices = op.Constant(value_int=0)
        result, result_2 = self, indices
    else:
        equal = op.Equal(self, self)
        is_nan = op.Not(equal)
        shape = op.Shape(self)
        count = op.Gather(shape, op.constant([dim % op.rank(self)], like="INT64"))
        where = op.Where(is_nan, op.constant(0, like=self), self)
        add = op.Add(count, op.constant(1, like="INT64"))
        div = op.Div(add, op.constant(2, like="INT64"))
        values, _indices_2 = op.TopK(where, div, axis=dim, largest=0, _outputs=2)
        middle = op.Slice(
            values,
            op.constant([-1], like="INT64"),
            op.constant([9223372036854775807], like="INT64"),
            op.constant([dim], like="INT64"),
        )
        where_2 = op.Where(is_nan, self, op.constant(0, like=self))
        nan = op.ReduceSum(where_2, op.constant([dim], like="INT64"), keepdims=1)
        equal_2 = op.Equal(nan, op.constant(0, like=self))
        value = op.Where(equal_2, middle, nan)
        equal_3 = op.Equal(self, value)
        or_2 = op.Or(is_nan, equal_3)
        cast = op.Cast(or_2, to=6)
        place = op.ArgMax(cast, axis=dim, keepdims=1)
        equal_4 = op.Equal(nan, op.constant(0, like=self))
        cast_2 = op.Cast(is_nan, to=6)
        arg_max = op.ArgMax(cast_2, axis=dim, keepdims=1)
        place_2 = op.Where(equal_4, place, arg_max)
        if keepdim:
            values_2 = value
        else:
            values_2 = op.Squeeze(value, op.constant([dim], like="INT64"))
        if keepdim:
            indices_3 = place_2
        else:
            indices_3 = op.Squeeze(place_2, op.constant([dim], like="INT64"))
        result, result_2 = values_2, indices_3
    result_3 = op.Identity(result)
    return result_3, result_2


OP = _onnxop.Operator(
    name="aten::median.dim",
    called="median_dim",
    existing="aten::median.dim",
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
    op_type="median_dim",
    doc="The operator aten::median.dim.",
    spec="sha256:b3dc77938a515139365ec8d5e9cafe92405ff2a68e831cd667b6cff545993db5",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.median.dim


@_onnxop.script.scripted(OP)
def median_dim(
    self: Tensor,
    dim: int,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::median.dim.

    Args:
        self: a tensor.
        dim: an integer.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::median returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class MedianDim(torch.nn.Module):
    """`median_dim` as a module; what is no tensor is fixed."""

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
        return median_dim(
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
