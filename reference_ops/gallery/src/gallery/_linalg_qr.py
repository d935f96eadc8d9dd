"""aten::linalg_qr: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, A: Any, mode: Any) -> Any:
    """aten::linalg_qr in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(A)
    m = op.Gather(shape, op.constant(-2, like="INT64"))
    shape_2 = op.Shape(A)
    n = op.Gather(shape_2, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(A) - 2)) + [op.rank(A) - 1, op.rank(A) - 2]
    index = op.Range(op.constant(0, like="INT64"), m, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    shape_3 = op.Shape(A)
    outer = op.Slice(
        shape_3,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, A)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), A)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(cast_like, concat)
    q = op.Add(eye, zeros)
    sub = op.Sub(m, op.constant(1, like="INT64"))
    min = op.Min(sub, n)

    def step(k: Any, keep: Any, q_2: Any, r: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(r, at, axis=-1)
        c = op.Where(less, op.constant(0.0, like=A), gather)
        mul = op.Mul(c, c)
        reduce_sum = op.ReduceSum(mul, op.constant([-2], like="INT64"), keepdims=1)
        size = op.Sqrt(reduce_sum)
        gather_2 = op.Gather(c, at, axis=-2)
        less_2 = op.Less(gather_2, op.constant(0.0, like=A))
        neg = op.Neg(size)
        where = op.Where(less_2, neg, size)
        gather_3 = op.Gather(eye, at, axis=-1)
        mul_2 = op.Mul(where, gather_3)
        v = op.Add(c, mul_2)
        mul_3 = op.Mul(v, v)
        scale = op.ReduceSum(mul_3, op.constant([-2], like="INT64"), keepdims=1)
        flat = op.Transpose(v, perm=turned)
        greater = op.Greater(column, k)
        abs = op.Abs(c)
        where_2 = op.Where(greater, abs, op.constant(0.0, like=A))
        rest = op.ReduceSum(where_2, op.constant([-2], like="INT64"), keepdims=1)
        equal_2 = op.Equal(rest, op.constant(0.0, like=A))
        mul_4 = op.Mul(op.constant(2.0, like=A), v)
        div = op.Div(mul_4, scale)
        v_2 = op.Where(equal_2, op.constant(0.0, like=A), div)
        mat_mul = op.MatMul(q_2, v_2)
        mat_mul_2 = op.MatMul(mat_mul, flat)
        sub_2 = op.Sub(q_2, mat_mul_2)
        mat_mul_3 = op.MatMul(flat, r)
        mat_mul_4 = op.MatMul(v_2, mat_mul_3)
        sub_3 = op.Sub(r, mat_mul_4)
        keep_2 = op.Identity(keep)
        return keep_2, sub_2, sub_3

    q_3, r_2 = op.Loop(min, op.constant(True, like="BOOL"), q, A, body=step, _outputs=2)
    range_2 = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    greater_2 = op.Greater(column, range_2)
    r_3 = op.Where(greater_2, op.constant(0.0, like=A), r_2)
    if mode == "complete":
        result_3, result_4 = q_3, r_3
    else:
        min_2 = op.Min(m, n)
        short = op.Unsqueeze(min_2, op.constant([0], like="INT64"))
        reduced = op.Slice(
            r_3,
            op.constant([0], like="INT64"),
            short,
            op.constant([-2], like="INT64"),
        )
        if mode == "r":
            slice = op.Slice(
                r_3,
                op.constant([0], like="INT64"),
                op.constant([0], like="INT64"),
                op.constant([-2], like="INT64"),
            )
            Q = op.Slice(
                slice,
                op.constant([0], like="INT64"),
                op.constant([0], like="INT64"),
                op.constant([-1], like="INT64"),
            )
            result, result_2 = Q, reduced
        else:
            Q_2 = op.Slice(
                q_3,
                op.constant([0], like="INT64"),
                short,
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
    spec="sha256:efc591bb7a9dbd5bcc334379cfcc04ab55c2f198fbc264ab30ab8d98d304eea3",
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
