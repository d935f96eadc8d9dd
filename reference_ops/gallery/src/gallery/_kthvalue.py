"""aten::kthvalue: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, k: Any, dim: Any, keepdim: Any) -> Any:
    """aten::kthvalue in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        indices = op.Constant(value_int=0)
        result, result_2 = self, indices
    else:
        equal = op.Equal(self, self)
        is_nan = op.Not(equal)
        constant_2 = op.Constant(value_float=float("inf"))
        infinite = op.CastLike(constant_2, self)
        where = op.Where(is_nan, infinite, self)
        values, _indices_2 = op.TopK(
            where,
            op.constant([k], like="INT64"),
            axis=dim,
            largest=0,
            _outputs=2,
        )
        value = op.Slice(
            values,
            op.constant([k - 1], like="INT64"),
            op.constant([k], like="INT64"),
            op.constant([dim], like="INT64"),
        )
        not_2 = op.Not(is_nan)
        cast = op.Cast(not_2, to=7)
        numbers = op.ReduceSum(cast, op.constant([dim], like="INT64"), keepdims=1)
        cast_2 = op.Cast(is_nan, to=6)
        ranks = op.CumSum(cast_2, op.constant(dim, like="INT64"))
        sub = op.Sub(op.constant(k, like="INT64"), numbers)
        wanted = op.Cast(sub, to=6)
        equal_2 = op.Equal(ranks, wanted)
        and_2 = op.And(is_nan, equal_2)
        cast_3 = op.Cast(and_2, to=6)
        nan = op.ArgMax(cast_3, axis=dim, keepdims=1)
        is_number = op.GreaterOrEqual(numbers, op.constant(k, like="INT64"))
        where_2 = op.Where(is_nan, self, op.constant(0, like=self))
        reduce_sum = op.ReduceSum(where_2, op.constant([dim], like="INT64"), keepdims=1)
        value_2 = op.Where(is_number, value, reduce_sum)
        equal_3 = op.Equal(self, value_2)
        and_3 = op.And(equal_3, is_number)
        cast_4 = op.Cast(and_3, to=6)
        infinities = op.ArgMax(cast_4, axis=dim, keepdims=1)
        place_2 = op.Where(is_number, infinities, nan)
        if keepdim:
            values_2 = value_2
        else:
            values_2 = op.Squeeze(value_2, op.constant([dim], like="INT64"))
        if keepdim:
            indices_3 = place_2
        else:
            indices_3 = op.Squeeze(place_2, op.constant([dim], like="INT64"))
        result, result_2 = values_2, indices_3
    result_3 = op.Identity(result)
    return result_3, result_2


OP = _onnxop.Operator(
    name="aten::kthvalue.default",
    existing="aten::kthvalue.default",
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
    op_type="kthvalue",
    doc="The operator aten::kthvalue.",
    spec="sha256:711bda12c4301806be22ad31876e0910dbd41bd663fd895c32478efe9635b911",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.kthvalue.default


@_onnxop.script.scripted(OP)
def kthvalue(
    self: Tensor,
    k: int,
    dim: int = -1,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::kthvalue.

    Args:
        self: a tensor.
        k: an integer.
        dim: an integer; -1 by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::kthvalue returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        k,
        dim,
        keepdim,
    )
    return result


class Kthvalue(torch.nn.Module):
    """`kthvalue` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        k: int,
        dim: int = -1,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.k = k
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return kthvalue(
            input,
            self.k,
            self.dim,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"k={self.k}",
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
