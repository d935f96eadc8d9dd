"""aten::linalg_inv_ex: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, check_errors: Any) -> Any:
    """aten::linalg_inv_ex in ONNX; `op` writes the nodes for the exporter that asks."""
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
    shape_2 = op.Shape(A)
    right = op.Expand(eye, shape_2)
    constant_2 = op.Constant(value_int=0)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    info = op.Expand(constant_2, concat)
    left_2, right_2, info_2 = left, right, info
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
        mat_mul_3 = op.MatMul(turn, right_2)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_3 = op.Sub(right_2, mat_mul_4)
        line = op.Slice(
            left_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        other = op.Slice(
            right_3,
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
        equal_3 = op.Equal(info_2, op.constant(0, like="INT64"))
        equal_4 = op.Equal(pivot, op.constant(0.0, like=A))
        and_2 = op.And(equal_3, equal_4)
        info_3 = op.Where(and_2, op.constant(k + 1, like="INT64"), info_2)
        slice_2 = op.Slice(
            left_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        sub = op.Sub(slice_2, here)
        factor = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(factor, line)
        left_4 = op.Sub(left_3, mat_mul_5)
        mat_mul_6 = op.MatMul(factor, other)
        right_4 = op.Sub(right_3, mat_mul_6)
        left_2, right_2, info_2 = left_4, right_4, info_3
    reshape = op.Reshape(info_2, outer, allowzero=1)
    info_4 = op.Cast(reshape, to=6)
    return right_2, info_4


OP = _onnxop.Operator(
    name="aten::linalg_inv_ex.default",
    existing="aten::linalg_inv_ex.default",
    results=[
        "inverse",
        "info",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_inv_ex",
    doc="The operator aten::linalg_inv_ex.",
    spec="sha256:05043cfd088f4b69dc0586264c3f0cae0f9f2ada7f25b5e4be3c9d5de5fe5417",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_inv_ex.default


@_onnxop.script.scripted(OP)
def linalg_inv_ex(
    A: Tensor,
    *,
    check_errors: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::linalg_inv_ex.

    Args:
        A: a tensor.
        check_errors: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_inv_ex returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        A,
        check_errors=check_errors,
    )
    return result


class LinalgInvEx(torch.nn.Module):
    """`linalg_inv_ex` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        check_errors: bool = False,
    ) -> None:
        super().__init__()
        self.check_errors = check_errors

    def forward(
        self,
        A: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return linalg_inv_ex(
            A,
            check_errors=self.check_errors,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"check_errors={self.check_errors}",
            ]
        )
