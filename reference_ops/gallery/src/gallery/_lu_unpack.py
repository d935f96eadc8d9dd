"""aten::lu_unpack: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, LU_data: Any, LU_pivots: Any, unpack_data: Any, unpack_pivots: Any) -> Any:
    """aten::lu_unpack in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(LU_data)
    m = op.Gather(shape, op.constant(-2, like="INT64"))
    shape_2 = op.Shape(LU_data)
    n = op.Gather(shape_2, op.constant(-1, like="INT64"))
    short = op.Min(m, n)
    turned = list(range(op.rank(LU_data) - 2)) + [op.rank(LU_data) - 1, op.rank(LU_data) - 2]
    across = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    range_2 = op.Range(op.constant(0, like="INT64"), m, op.constant(1, like="INT64"))
    column = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
    shape_3 = op.Shape(LU_data)
    outer = op.Slice(
        shape_3,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), LU_data)
    nothing = op.Expand(cast_like, op.constant([0], like="INT64"))
    range_3 = op.Range(op.constant(0, like="INT64"), m, op.constant(1, like="INT64"))
    equal = op.Equal(column, range_3)
    eye = op.CastLike(equal, LU_data)
    cast_like_2 = op.CastLike(op.constant(0.0, like="FLOAT"), LU_data)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(cast_like_2, concat)
    order = op.Add(eye, zeros)
    if unpack_pivots:

        def step(k: Any, keep: Any, order_2: Any) -> Any:
            at = op.Unsqueeze(k, op.constant([0], like="INT64"))
            gather = op.Gather(LU_pivots, at, axis=-1)
            cast = op.Cast(gather, to=7)
            sub = op.Sub(cast, op.constant(1, like="INT64"))
            place = op.Unsqueeze(sub, op.constant([-2], like="INT64"))
            gather_2 = op.Gather(eye, at, axis=-1)
            equal_2 = op.Equal(column, place)
            cast_like_3 = op.CastLike(equal_2, LU_data)
            swap = op.Sub(gather_2, cast_like_3)
            transpose = op.Transpose(swap, perm=turned)
            mat_mul = op.MatMul(transpose, order_2)
            mat_mul_2 = op.MatMul(swap, mat_mul)
            sub_2 = op.Sub(order_2, mat_mul_2)
            keep_2 = op.Identity(keep)
            return keep_2, sub_2

        order_3 = op.Loop(short, op.constant(True, like="BOOL"), order, body=step)
        permutation_2 = op.Transpose(order_3, perm=turned)
    else:
        permutation_2 = nothing
    if not unpack_data:
        result, result_2, result_3 = permutation_2, nothing, nothing
    else:
        is_below = op.Greater(column, across)
        equal_3 = op.Equal(column, across)
        cast_like_4 = op.CastLike(equal_3, LU_data)
        low = op.Where(is_below, LU_data, cast_like_4)
        up = op.Where(is_below, op.constant(0.0, like=LU_data), LU_data)
        size = op.Unsqueeze(short, op.constant([0], like="INT64"))
        L = op.Slice(low, op.constant([0], like="INT64"), size, op.constant([-1], like="INT64"))
        U = op.Slice(up, op.constant([0], like="INT64"), size, op.constant([-2], like="INT64"))
        result, result_2, result_3 = permutation_2, L, U
    result_4 = op.Identity(result_2)
    result_5 = op.Identity(result_3)
    return result, result_4, result_5


OP = _onnxop.Operator(
    name="aten::lu_unpack.default",
    existing="aten::lu_unpack.default",
    results=[
        "P",
        "L",
        "U",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="lu_unpack",
    doc="The operator aten::lu_unpack.",
    spec="sha256:8cfe036f20cad6e7c49e580a0e0d4a827f4e2738b081fb96bc627bfb44a65c4e",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.lu_unpack.default


@_onnxop.script.scripted(OP)
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
) -> tuple[Tensor, Tensor, Tensor]:
    """The operator aten::lu_unpack.

    Args:
        LU_data: a tensor.
        LU_pivots: a tensor.
        unpack_data: a boolean; True by default.
        unpack_pivots: a boolean; True by default.

    Returns:
        What PyTorch's aten::lu_unpack returns.
    """
    result: tuple[Tensor, Tensor, Tensor] = _operator(
        LU_data,
        LU_pivots,
        unpack_data,
        unpack_pivots,
    )
    return result


class LuUnpack(torch.nn.Module):
    """`lu_unpack` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        unpack_data: bool = True,
        unpack_pivots: bool = True,
    ) -> None:
        super().__init__()
        self.unpack_data = unpack_data
        self.unpack_pivots = unpack_pivots

    def forward(
        self,
        LU_data: Tensor,
        LU_pivots: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        return lu_unpack(
            LU_data,
            LU_pivots,
            self.unpack_data,
            self.unpack_pivots,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"unpack_data={self.unpack_data}",
                f"unpack_pivots={self.unpack_pivots}",
            ]
        )
