"""aten::linalg_slogdet: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any) -> Any:
    """aten::linalg_slogdet in ONNX; `op` writes the nodes for the exporter that asks."""
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(A, -1), like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    shape = op.Shape(A)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, A)
    left = op.Identity(A)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    size = op.Expand(cast_like, concat)
    cast_like_2 = op.CastLike(op.constant(1.0, like="FLOAT"), A)
    concat_2 = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    sign = op.Expand(cast_like_2, concat_2)
    left_2, sign_2, size_2 = left, sign, size
    for k in range(op.size(A, -1)):
        less = op.Less(column, op.constant(k, like="INT64"))
        slice = op.Slice(
            left_2,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        abs = op.Abs(slice)
        candidates = op.Where(less, op.constant(-1.0, like=A), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, A)
        here = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        swap = op.Sub(here, chosen)
        turn = op.Transpose(
            swap,
            perm=list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2],
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
        sign_4 = op.Sign(pivot)
        sign_5 = op.Mul(sign_3, sign_4)
        abs_2 = op.Abs(pivot)
        log = op.Log(abs_2)
        size_3 = op.Add(size_2, log)
        greater = op.Greater(column, op.constant(k, like="INT64"))
        slice_2 = op.Slice(
            left_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        below = op.Where(greater, slice_2, op.constant(0.0, like=A))
        equal_4 = op.Equal(pivot, op.constant(0.0, like=A))
        where_2 = op.Where(equal_4, op.constant(1.0, like=A), pivot)
        div = op.Div(below, where_2)
        mat_mul_3 = op.MatMul(div, line)
        left_4 = op.Sub(left_3, mat_mul_3)
        left_2, sign_2, size_2 = left_4, sign_5, size_3
    sign_6 = op.Reshape(sign_2, outer, allowzero=1)
    logabsdet = op.Reshape(size_2, outer, allowzero=1)
    return sign_6, logabsdet


OP = _onnxop.Operator(
    name="aten::linalg_slogdet.default",
    existing="aten::linalg_slogdet.default",
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
    op_type="linalg_slogdet",
    doc="The operator aten::linalg_slogdet.",
    spec="sha256:b4cc865c2ddedbd58f119327cafd0e5bdb2abbf10c24207591ed617a85a07264",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_slogdet.default


@_onnxop.script.scripted(OP)
def linalg_slogdet(
    A: Tensor,
) -> tuple[Tensor, Tensor]:
    """The operator aten::linalg_slogdet.

    Args:
        A: a tensor.

    Returns:
        What PyTorch's aten::linalg_slogdet returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        A,
    )
    return result


class LinalgSlogdet(torch.nn.Module):
    """`linalg_slogdet` as a module."""

    def forward(
        self,
        A: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return linalg_slogdet(
            A,
        )
