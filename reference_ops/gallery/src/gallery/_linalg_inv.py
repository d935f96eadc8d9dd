"""aten::linalg_inv: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any) -> Any:
    """aten::linalg_inv in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(A)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    index = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, A)
    swapped = list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2]
    shape_2 = op.Shape(A)
    expand = op.Expand(eye, shape_2)

    def step(k: Any, keep: Any, left: Any, right: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(left, at, axis=-1)
        abs = op.Abs(gather)
        candidates = op.Where(less, op.constant(-1.0, like=A), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        here = op.Gather(eye, at, axis=-1)
        equal_2 = op.Equal(column, place)
        cast_like = op.CastLike(equal_2, A)
        swap = op.Sub(here, cast_like)
        turn = op.Transpose(swap, perm=swapped)
        mat_mul = op.MatMul(turn, left)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        left_2 = op.Sub(left, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, right)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_2 = op.Sub(right, mat_mul_4)
        line = op.Gather(left_2, at, axis=-2)
        other = op.Gather(right_2, at, axis=-2)
        gather_2 = op.Gather(left_2, at, axis=-1)
        sub = op.Sub(gather_2, here)
        gather_3 = op.Gather(line, at, axis=-1)
        factor = op.Div(sub, gather_3)
        mat_mul_5 = op.MatMul(factor, line)
        sub_2 = op.Sub(left_2, mat_mul_5)
        mat_mul_6 = op.MatMul(factor, other)
        sub_3 = op.Sub(right_2, mat_mul_6)
        keep_2 = op.Identity(keep)
        return keep_2, sub_2, sub_3

    _value, right_3 = op.Loop(n, op.constant(True, like="BOOL"), A, expand, body=step, _outputs=2)
    return right_3


OP = _onnxop.Operator(
    name="aten::linalg_inv.default",
    existing="aten::linalg_inv.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_inv",
    doc="The operator aten::linalg_inv.",
    spec="sha256:8aa8c319818ba82734c3565b836944e69797665a433c1fe13606541332ee1895",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_inv.default


@_onnxop.script.scripted(OP)
def linalg_inv(
    A: Tensor,
) -> Tensor:
    """The operator aten::linalg_inv.

    Args:
        A: a tensor.

    Returns:
        What PyTorch's aten::linalg_inv returns.
    """
    result: Tensor = _operator(
        A,
    )
    return result


class LinalgInv(torch.nn.Module):
    """`linalg_inv` as a module."""

    def forward(
        self,
        A: Tensor,
    ) -> Tensor:
        return linalg_inv(
            A,
        )
