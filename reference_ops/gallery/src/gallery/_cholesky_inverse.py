"""aten::cholesky_inverse: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, upper: Any) -> Any:
    """aten::cholesky_inverse in ONNX; `op` writes the nodes for the exporter that asks."""
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(self, -1), like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    if upper:
        factor = op.Transpose(
            self,
            perm=list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2],
        )
    else:
        factor = op.Identity(self)
    transpose_2 = op.Transpose(
        factor,
        perm=list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2],
    )
    whole = op.MatMul(factor, transpose_2)
    shape = op.Shape(self)
    right = op.Expand(eye, shape)
    left, right_2 = whole, right
    for k in range(op.size(self, -1)):
        less = op.Less(column, op.constant(k, like="INT64"))
        slice = op.Slice(
            left,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        abs = op.Abs(slice)
        candidates = op.Where(less, op.constant(-1.0, like=self), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, self)
        here = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        swap = op.Sub(here, chosen)
        turn = op.Transpose(
            swap,
            perm=list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2],
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
    name="aten::cholesky_inverse.default",
    existing="aten::cholesky_inverse.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="cholesky_inverse",
    doc="The operator aten::cholesky_inverse.",
    spec="sha256:c73031379d1970a5fb0d6fa98c1a4173b62c11d80ce0252077763ae479c5e8e5",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cholesky_inverse.default


@_onnxop.script.scripted(OP)
def cholesky_inverse(
    self: Tensor,
    upper: bool = False,
) -> Tensor:
    """The operator aten::cholesky_inverse.

    Args:
        self: a tensor.
        upper: a boolean; False by default.

    Returns:
        What PyTorch's aten::cholesky_inverse returns.
    """
    result: Tensor = _operator(
        self,
        upper,
    )
    return result


class CholeskyInverse(torch.nn.Module):
    """`cholesky_inverse` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        upper: bool = False,
    ) -> None:
        super().__init__()
        self.upper = upper

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return cholesky_inverse(
            input,
            self.upper,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"upper={self.upper}",
            ]
        )
