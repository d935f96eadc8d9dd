"""aten::cholesky_inverse: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, upper: Any) -> Any:
    """aten::cholesky_inverse in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2]
    index = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    if upper:
        factor = op.Transpose(self, perm=turned)
    else:
        factor = op.Identity(self)
    transpose_2 = op.Transpose(factor, perm=turned)
    whole = op.MatMul(factor, transpose_2)
    shape_2 = op.Shape(self)
    right = op.Expand(eye, shape_2)

    def step(k: Any, keep: Any, left: Any, right_2: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(left, at, axis=-1)
        abs = op.Abs(gather)
        candidates = op.Where(less, op.constant(-1.0, like=self), abs)
        place = op.ArgMax(candidates, axis=-2, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, self)
        here = op.Gather(eye, at, axis=-1)
        swap = op.Sub(here, chosen)
        turn = op.Transpose(swap, perm=turned)
        mat_mul = op.MatMul(turn, left)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        left_2 = op.Sub(left, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, right_2)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_3 = op.Sub(right_2, mat_mul_4)
        line = op.Gather(left_2, at, axis=-2)
        other = op.Gather(right_3, at, axis=-2)
        pivot = op.Gather(line, at, axis=-1)
        gather_2 = op.Gather(left_2, at, axis=-1)
        sub = op.Sub(gather_2, here)
        share = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(share, line)
        left_3 = op.Sub(left_2, mat_mul_5)
        mat_mul_6 = op.MatMul(share, other)
        right_4 = op.Sub(right_3, mat_mul_6)
        keep_2 = op.Identity(keep)
        return keep_2, left_3, right_4

    _value, right_5 = op.Loop(
        n,
        op.constant(True, like="BOOL"),
        whole,
        right,
        body=step,
        _outputs=2,
    )
    return right_5


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
    spec="sha256:5a28e52fc443e5c154119c73927506f09c9c593a7d011f95a391f55cdf12c08c",
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
