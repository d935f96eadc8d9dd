"""aten::lu_unpack: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, LU_data: Any, LU_pivots: Any, unpack_data: Any, unpack_pivots: Any) -> Any:
    """aten::lu_unpack in ONNX; `op` writes the nodes for the exporter that asks."""
    range_2 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(LU_data, -2), like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
    shape = op.Shape(LU_data)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), LU_data)
    nothing = op.Expand(cast_like, op.constant([0], like="INT64"))
    range_3 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(LU_data, -2), like="INT64"),
        op.constant(1, like="INT64"),
    )
    equal = op.Equal(column, range_3)
    eye = op.CastLike(equal, LU_data)
    concat = op.Concat(
        outer,
        op.constant([op.size(LU_data, -2), op.size(LU_data, -2)], like="INT64"),
        axis=0,
    )
    order = op.Expand(eye, concat)
    order_2 = order
    for k in range(min(op.size(LU_data, -2), op.size(LU_data, -1)) if unpack_pivots else 0):
        slice = op.Slice(
            LU_pivots,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        cast = op.Cast(slice, to=7)
        sub = op.Sub(cast, op.constant(1, like="INT64"))
        place = op.Unsqueeze(sub, op.constant([-2], like="INT64"))
        slice_2 = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        equal_2 = op.Equal(column, place)
        cast_like_2 = op.CastLike(equal_2, LU_data)
        swap = op.Sub(slice_2, cast_like_2)
        turn = op.Transpose(
            swap,
            perm=list(range(op.rank(LU_data) - 2)) + [op.rank(LU_data) - 1, op.rank(LU_data) - 2],
        )
        mat_mul = op.MatMul(turn, order_2)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        order_3 = op.Sub(order_2, mat_mul_2)
        order_2 = order_3
    permutation = op.Transpose(
        order_2,
        perm=list(range(op.rank(LU_data) - 2)) + [op.rank(LU_data) - 1, op.rank(LU_data) - 2],
    )
    if not unpack_data:
        result, result_2, result_3 = permutation if unpack_pivots else nothing, nothing, nothing
    else:
        range_4 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(op.size(LU_data, -1), like="INT64"),
            op.constant(1, like="INT64"),
        )
        is_below = op.Greater(column, range_4)
        range_5 = op.Range(
            op.constant(0, like="INT64"),
            op.constant(op.size(LU_data, -1), like="INT64"),
            op.constant(1, like="INT64"),
        )
        is_diagonal = op.Equal(column, range_5)
        cast_like_3 = op.CastLike(is_diagonal, LU_data)
        low = op.Where(is_below, LU_data, cast_like_3)
        up = op.Where(is_below, op.constant(0.0, like=LU_data), LU_data)
        L = op.Slice(
            low,
            op.constant([0], like="INT64"),
            op.constant([min(op.size(LU_data, -2), op.size(LU_data, -1))], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        U = op.Slice(
            up,
            op.constant([0], like="INT64"),
            op.constant([min(op.size(LU_data, -2), op.size(LU_data, -1))], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        result, result_2, result_3 = permutation if unpack_pivots else nothing, L, U
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
    spec="sha256:5b82618867096f06d30ab20d32e5418312950c1a65ee53e2a7074a34096b555c",
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
