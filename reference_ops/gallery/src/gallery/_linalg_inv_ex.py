"""aten::linalg_inv_ex: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, check_errors: Any) -> Any:
    """aten::linalg_inv_ex in ONNX; `op` writes the nodes for the exporter that asks."""
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
    shape_3 = op.Shape(A)
    right = op.Expand(eye, shape_3)
    constant_2 = op.Constant(value_int=0)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    info = op.Expand(constant_2, concat)

    def step(k: Any, keep: Any, left_2: Any, right_2: Any, info_2: Any) -> Any:
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
        mat_mul_3 = op.MatMul(turn, right_2)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_3 = op.Sub(right_2, mat_mul_4)
        line = op.Gather(left_3, at, axis=-2)
        other = op.Gather(right_3, at, axis=-2)
        pivot = op.Gather(line, at, axis=-1)
        equal_3 = op.Equal(info_2, op.constant(0, like="INT64"))
        equal_4 = op.Equal(pivot, op.constant(0.0, like=A))
        and_2 = op.And(equal_3, equal_4)
        add = op.Add(k, op.constant(1, like="INT64"))
        info_3 = op.Where(and_2, add, info_2)
        gather_2 = op.Gather(left_3, at, axis=-1)
        sub = op.Sub(gather_2, here)
        factor = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(factor, line)
        left_4 = op.Sub(left_3, mat_mul_5)
        mat_mul_6 = op.MatMul(factor, other)
        right_4 = op.Sub(right_3, mat_mul_6)
        keep_2 = op.Identity(keep)
        return keep_2, left_4, right_4, info_3

    _value, right_5, info_4 = op.Loop(
        n,
        op.constant(True, like="BOOL"),
        left,
        right,
        info,
        body=step,
        _outputs=3,
    )
    reshape = op.Reshape(info_4, outer, allowzero=1)
    info_5 = op.Cast(reshape, to=6)
    return right_5, info_5


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
    spec="sha256:81743f9b72f6709a60b5ca8891126c835a16b2c47821ec08fe771868ce2ae062",
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
