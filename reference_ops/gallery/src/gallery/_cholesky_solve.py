"""aten::cholesky_solve: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, input2: Any, upper: Any) -> Any:
    """aten::cholesky_solve in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(input2)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(input2) - 2)) + [op.rank(input2) - 1, op.rank(input2) - 2]
    shape_2 = op.Shape(input2)
    outer = op.Slice(
        shape_2,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    index = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, input2)
    if upper:
        factor = op.Transpose(input2, perm=turned)
    else:
        factor = op.Identity(input2)
    transpose_2 = op.Transpose(factor, perm=turned)
    whole = op.MatMul(factor, transpose_2)
    right = op.Identity(self)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), input2)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(cast_like, concat)
    right_2 = op.Add(right, zeros)

    def step(k: Any, keep: Any, left: Any, right_3: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(left, at, axis=-1)
        abs = op.Abs(gather)
        candidates = op.Where(less, op.constant(-1.0, like=input2), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, input2)
        here = op.Gather(eye, at, axis=-1)
        swap = op.Sub(here, chosen)
        turn = op.Transpose(swap, perm=turned)
        mat_mul = op.MatMul(turn, left)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        left_2 = op.Sub(left, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, right_3)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_4 = op.Sub(right_3, mat_mul_4)
        line = op.Gather(left_2, at, axis=-2)
        other = op.Gather(right_4, at, axis=-2)
        pivot = op.Gather(line, at, axis=-1)
        gather_2 = op.Gather(left_2, at, axis=-1)
        sub = op.Sub(gather_2, here)
        share = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(share, line)
        left_3 = op.Sub(left_2, mat_mul_5)
        mat_mul_6 = op.MatMul(share, other)
        right_5 = op.Sub(right_4, mat_mul_6)
        keep_2 = op.Identity(keep)
        return keep_2, left_3, right_5

    _value, right_6 = op.Loop(
        n,
        op.constant(True, like="BOOL"),
        whole,
        right_2,
        body=step,
        _outputs=2,
    )
    return right_6


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
    spec="sha256:43b5e9e3428accc55ba95f56995c59182cfeda3523e2b8605f9ebbd8592867a4",
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
