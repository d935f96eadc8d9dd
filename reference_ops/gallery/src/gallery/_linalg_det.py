"""aten::linalg_det: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any) -> Any:
    """aten::linalg_det in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(A)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2]
    index = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    shape_2 = op.Shape(A)
    outer = op.Slice(
        shape_2,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, A)
    left = op.Identity(A)
    cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), A)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    size = op.Expand(cast_like, concat)
    cast_like_2 = op.CastLike(op.constant(1.0, like="FLOAT"), A)
    concat_2 = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    sign = op.Expand(cast_like_2, concat_2)

    def step(k: Any, keep: Any, left_2: Any, size_2: Any, sign_2: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(left_2, at, axis=-1)
        abs = op.Abs(gather)
        candidates = op.Where(less, op.constant(-1.0, like=A), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, A)
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
        where = op.Where(equal_3, cast_like_3, op.constant(-1.0, like=A))
        sign_3 = op.Mul(sign_2, where)
        size_3 = op.Mul(size_2, pivot)
        greater = op.Greater(column, k)
        gather_2 = op.Gather(left_3, at, axis=-1)
        below = op.Where(greater, gather_2, op.constant(0.0, like=A))
        equal_4 = op.Equal(pivot, op.constant(0.0, like=A))
        where_2 = op.Where(equal_4, op.constant(1.0, like=A), pivot)
        div = op.Div(below, where_2)
        mat_mul_3 = op.MatMul(div, line)
        left_4 = op.Sub(left_3, mat_mul_3)
        keep_2 = op.Identity(keep)
        return keep_2, left_4, size_3, sign_3

    _value, size_4, sign_4 = op.Loop(
        n,
        op.constant(True, like="BOOL"),
        left,
        size,
        sign,
        body=step,
        _outputs=3,
    )
    mul = op.Mul(size_4, sign_4)
    return op.Reshape(mul, outer, allowzero=1)


OP = _onnxop.Operator(
    name="aten::linalg_det.default",
    existing="aten::linalg_det.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_det",
    doc="The operator aten::linalg_det.",
    spec="sha256:cbd01868239c7678567e9f04bc6b448366a8fc58d824e6f652522998320ce4ca",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_det.default


@_onnxop.script.scripted(OP)
def linalg_det(
    A: Tensor,
) -> Tensor:
    """The operator aten::linalg_det.

    Args:
        A: a tensor.

    Returns:
        What PyTorch's aten::linalg_det returns.
    """
    result: Tensor = _operator(
        A,
    )
    return result


class LinalgDet(torch.nn.Module):
    """`linalg_det` as a module."""

    def forward(
        self,
        A: Tensor,
    ) -> Tensor:
        return linalg_det(
            A,
        )
