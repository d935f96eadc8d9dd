"""aten::slogdet: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::slogdet in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2]
    index = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    shape_2 = op.Shape(self)
    outer = op.Slice(
        shape_2,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    left = op.Identity(self)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), self)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    size = op.Expand(cast_like, concat)
    cast_like_2 = op.CastLike(op.constant(1.0, like="FLOAT"), self)
    concat_2 = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    sign = op.Expand(cast_like_2, concat_2)

    def step(k: Any, keep: Any, left_2: Any, size_2: Any, sign_2: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(left_2, at, axis=-1)
        abs = op.Abs(gather)
        candidates = op.Where(less, op.constant(-1.0, like=self), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, self)
        here = op.Gather(eye, at, axis=-1)
        swap = op.Sub(here, chosen)
        turn = op.Transpose(swap, perm=turned)
        mat_mul = op.MatMul(turn, left_2)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        left_3 = op.Sub(left_2, mat_mul_2)
        line = op.Gather(left_3, at, axis=-2)
        pivot = op.Gather(line, at, axis=-1)
        equal_3 = op.Equal(place, k)
        cast_like_3 = op.CastLike(op.constant(1.0, like="FLOAT"), sign_2)
        where = op.Where(equal_3, cast_like_3, op.constant(-1.0, like=self))
        sign_3 = op.Mul(sign_2, where)
        sign_4 = op.Sign(pivot)
        sign_5 = op.Mul(sign_3, sign_4)
        abs_2 = op.Abs(pivot)
        log = op.Log(abs_2)
        size_3 = op.Add(size_2, log)
        greater = op.Greater(column, k)
        gather_2 = op.Gather(left_3, at, axis=-1)
        below = op.Where(greater, gather_2, op.constant(0.0, like=self))
        equal_4 = op.Equal(pivot, op.constant(0.0, like=self))
        where_2 = op.Where(equal_4, op.constant(1.0, like=self), pivot)
        div = op.Div(below, where_2)
        mat_mul_3 = op.MatMul(div, line)
        left_4 = op.Sub(left_3, mat_mul_3)
        keep_2 = op.Identity(keep)
        return keep_2, left_4, size_3, sign_5

    _value, size_4, sign_6 = op.Loop(
        n,
        op.constant(True, like="BOOL"),
        left,
        size,
        sign,
        body=step,
        _outputs=3,
    )
    sign_7 = op.Reshape(sign_6, outer, allowzero=1)
    logabsdet = op.Reshape(size_4, outer, allowzero=1)
    return sign_7, logabsdet


OP = _onnxop.Operator(
    name="aten::slogdet.default",
    existing="aten::slogdet.default",
    results=[
        "sign",
        "logabsdet",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="slogdet",
    doc="The operator aten::slogdet.",
    spec="sha256:a562eea90d203f721e44b180b3083ae9023e861182930c8836f724738b8ac225",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.slogdet.default


@_onnxop.script.scripted(OP)
def slogdet(
    self: Tensor,
) -> tuple[Tensor, Tensor]:
    """The operator aten::slogdet.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::slogdet returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
    )
    return result


class Slogdet(torch.nn.Module):
    """`slogdet` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return slogdet(
            input,
        )
