"""aten::linalg_qr: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, mode: Any) -> Any:
    """aten::linalg_qr in ONNX; `op` writes the nodes for the exporter that asks."""
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(A, -2), like="INT64"),
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
    r = op.Identity(A)
    concat = op.Concat(outer, op.constant([op.size(A, -2), op.size(A, -2)], like="INT64"), axis=0)
    q = op.Expand(eye, concat)
    r_2, q_2 = r, q
    for k in range(min(op.size(A, -2) - 1, op.size(A, -1))):
        less = op.Less(column, op.constant(k, like="INT64"))
        slice = op.Slice(
            r_2,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        c = op.Where(less, op.constant(0.0, like=A), slice)
        head = op.Slice(
            c,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        mul = op.Mul(c, c)
        reduce_sum = op.ReduceSum(mul, op.constant([-2], like="INT64"), keepdims=1)
        size = op.Sqrt(reduce_sum)
        less_2 = op.Less(head, op.constant(0.0, like=A))
        neg = op.Neg(size)
        where = op.Where(less_2, neg, size)
        slice_2 = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        mul_2 = op.Mul(where, slice_2)
        v = op.Add(c, mul_2)
        turned = op.Transpose(
            v,
            perm=list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2],
        )
        mul_3 = op.Mul(v, v)
        scale = op.ReduceSum(mul_3, op.constant([-2], like="INT64"), keepdims=1)
        mul_4 = op.Mul(op.constant(2.0, like=A), v)
        equal_2 = op.Equal(scale, op.constant(0.0, like=A))
        where_2 = op.Where(equal_2, op.constant(1.0, like=A), scale)
        v_2 = op.Div(mul_4, where_2)
        mat_mul = op.MatMul(turned, r_2)
        mat_mul_2 = op.MatMul(v_2, mat_mul)
        r_3 = op.Sub(r_2, mat_mul_2)
        transpose = op.Transpose(
            turned,
            perm=list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2],
        )
        mat_mul_3 = op.MatMul(q_2, transpose)
        transpose_2 = op.Transpose(
            v_2,
            perm=list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2],
        )
        mat_mul_4 = op.MatMul(mat_mul_3, transpose_2)
        q_3 = op.Sub(q_2, mat_mul_4)
        r_2, q_2 = r_3, q_3
    range_2 = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(A, -1), like="INT64"),
        op.constant(1, like="INT64"),
    )
    greater = op.Greater(column, range_2)
    r_4 = op.Where(greater, op.constant(0.0, like=A), r_2)
    if mode == "complete":
        result_3, result_4 = q_2, r_4
    else:
        reduced = op.Slice(
            r_4,
            op.constant([0], like="INT64"),
            op.constant([min(op.size(A, -2), op.size(A, -1))], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        if mode == "r":
            slice_3 = op.Slice(
                r_4,
                op.constant([0], like="INT64"),
                op.constant([0], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            Q = op.Slice(
                slice_3,
                op.constant([0], like="INT64"),
                op.constant([0], like="INT64"),
                op.constant([-1], like="INT64"),
            )
            result, result_2 = Q, reduced
        else:
            Q_2 = op.Slice(
                q_2,
                op.constant([0], like="INT64"),
                op.constant([min(op.size(A, -2), op.size(A, -1))], like="INT64"),
                op.constant([-1], like="INT64"),
            )
            result, result_2 = Q_2, reduced
        result_3, result_4 = result, result_2
    return result_3, result_4


OP = _onnxop.Operator(
    name="aten::linalg_qr.default",
    existing="aten::linalg_qr.default",
    results=[
        "Q",
        "R",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_qr",
    doc="The operator aten::linalg_qr.",
    spec="sha256:3b8039b72254920a50cd494b04ddd0af0e507db2df9b819efa4b64663cf1f583",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_qr.default


@_onnxop.script.scripted(OP)
def linalg_qr(
    A: Tensor,
    mode: str = "reduced",
) -> tuple[Tensor, Tensor]:
    """The operator aten::linalg_qr.

    Args:
        A: a tensor.
        mode: a string; 'reduced' by default.

    Returns:
        What PyTorch's aten::linalg_qr returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        A,
        mode,
    )
    return result


class LinalgQr(torch.nn.Module):
    """`linalg_qr` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        mode: str = "reduced",
    ) -> None:
        super().__init__()
        self.mode = mode

    def forward(
        self,
        A: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return linalg_qr(
            A,
            self.mode,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"mode={self.mode}",
            ]
        )
