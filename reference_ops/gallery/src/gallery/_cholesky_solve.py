"""aten::cholesky_solve: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, input2: Any, upper: Any) -> Any:
    """aten::cholesky_solve in ONNX; `op` writes the nodes for the exporter that asks."""
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(input2, -1), like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, input2)
    if upper:
        factor = op.Transpose(
            input2,
            perm=list(range(op.rank(input2) - 2)) + [op.rank(input2) - 1, op.rank(input2) - 2],
        )
    else:
        factor = op.Identity(input2)
    transpose_2 = op.Transpose(
        factor,
        perm=list(range(op.rank(input2) - 2)) + [op.rank(input2) - 1, op.rank(input2) - 2],
    )
    whole = op.MatMul(factor, transpose_2)
    right = op.Identity(self)
    left, right_2 = whole, right
    for k in range(op.size(input2, -1)):
        less = op.Less(column, op.constant(k, like="INT64"))
        slice = op.Slice(
            left,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        abs = op.Abs(slice)
        candidates = op.Where(less, op.constant(-1.0, like=input2), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, input2)
        here = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        swap = op.Sub(here, chosen)
        turn = op.Transpose(
            swap,
            perm=list(range(op.rank(input2) - 2)) + [op.rank(input2) - 1, op.rank(input2) - 2],
        )
        mat_mul = op.MatMul(turn, left)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        left_2 = op.Sub(left, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, right_2)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_3 = op.Sub(right_2, mat_mul_4)
        line = op.Slice(
            left_2,
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
        slice_2 = op.Slice(
            left_2,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        sub = op.Sub(slice_2, here)
        share = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(share, line)
        left_3 = op.Sub(left_2, mat_mul_5)
        mat_mul_6 = op.MatMul(share, other)
        right_4 = op.Sub(right_3, mat_mul_6)
        left, right_2 = left_3, right_4
    return right_2


OP = _onnxop.Operator(
    name="aten::cholesky_solve.default",
    existing="aten::cholesky_solve.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="cholesky_solve",
    doc="The operator aten::cholesky_solve.",
    spec="sha256:62cdd73d10d0d0449e3d0c174befac837df47277ae8230d14e4034c45de06d47",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cholesky_solve.default


@_onnxop.script.scripted(OP)
def cholesky_solve(
    self: Tensor,
    input2: Tensor,
    upper: bool = False,
) -> Tensor:
    """The operator aten::cholesky_solve.

    Args:
        self: a tensor.
        input2: a tensor.
        upper: a boolean; False by default.

    Returns:
        What PyTorch's aten::cholesky_solve returns.
    """
    result: Tensor = _operator(
        self,
        input2,
        upper,
    )
    return result


class CholeskySolve(torch.nn.Module):
    """`cholesky_solve` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        upper: bool = False,
    ) -> None:
        super().__init__()
        self.upper = upper

    def forward(
        self,
        input: Tensor,
        input2: Tensor,
    ) -> Tensor:
        return cholesky_solve(
            input,
            input2,
            self.upper,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"upper={self.upper}",
            ]
        )
