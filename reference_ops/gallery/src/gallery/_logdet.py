"""aten::logdet: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::logdet in ONNX; `op` writes the nodes for the exporter that asks."""
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(self, -1), like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    shape = op.Shape(self)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    left = op.Identity(self)
    cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), self)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    size = op.Expand(cast_like, concat)
    cast_like_2 = op.CastLike(op.constant(1.0, like="FLOAT"), self)
    concat_2 = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    sign = op.Expand(cast_like_2, concat_2)
    left_2, sign_2, size_2 = left, sign, size
    for k in range(op.size(self, -1)):
        less = op.Less(column, op.constant(k, like="INT64"))
        slice = op.Slice(
            left_2,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        abs = op.Abs(slice)
        candidates = op.Where(less, op.constant(-1.0, like=self), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, self)
        here = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        swap = op.Sub(here, chosen)
        turn = op.Transpose(
            swap,
            perm=list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2],
        )
        mat_mul = op.MatMul(turn, left_2)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        left_3 = op.Sub(left_2, mat_mul_2)
        line = op.Slice(
            left_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        pivot = op.Slice(
            line,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        equal_3 = op.Equal(place, op.constant(k, like="INT64"))
        where = op.Where(equal_3, op.constant(1.0, like="FLOAT"), op.constant(-1.0, like="FLOAT"))
        sign_3 = op.Mul(sign_2, where)
        size_3 = op.Mul(size_2, pivot)
        greater = op.Greater(column, op.constant(k, like="INT64"))
        slice_2 = op.Slice(
            left_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        below = op.Where(greater, slice_2, op.constant(0.0, like=self))
        equal_4 = op.Equal(pivot, op.constant(0.0, like=self))
        where_2 = op.Where(equal_4, op.constant(1.0, like=self), pivot)
        div = op.Div(below, where_2)
        mat_mul_3 = op.MatMul(div, line)
        left_4 = op.Sub(left_3, mat_mul_3)
        left_2, sign_2, size_2 = left_4, sign_3, size_3
    mul = op.Mul(size_2, sign_2)
    reshape = op.Reshape(mul, outer, allowzero=1)
    return op.Log(reshape)


OP = _onnxop.Operator(
    name="aten::logdet.default",
    existing="aten::logdet.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="logdet",
    doc="The operator aten::logdet.",
    spec="sha256:c0f2cd6f92b07ae787aa316b87f7a12aec95d1642ed2944cc7b96ec5e7f9184b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.logdet.default


@_onnxop.script.scripted(OP)
def logdet(
    self: Tensor,
) -> Tensor:
    """The operator aten::logdet.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::logdet returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Logdet(torch.nn.Module):
    """`logdet` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return logdet(
            input,
        )
