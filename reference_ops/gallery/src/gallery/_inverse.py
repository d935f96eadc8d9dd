"""aten::inverse: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::inverse in ONNX; `op` writes the nodes for the exporter that asks."""
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(self, -1), like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    left = op.Identity(self)
    shape = op.Shape(self)
    right = op.Expand(eye, shape)
    left_2, right_2 = left, right
    for k in range(op.size(self, -1)):
        less = op.Less(column, op.constant(k, like="INT64"))
        slice = op.Slice(
            left_2,
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
        left_2, right_2 = left_4, right_4
    return right_2


OP = _onnxop.Operator(
    name="aten::inverse.default",
    existing="aten::inverse.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="inverse",
    doc="The operator aten::inverse.",
    spec="sha256:849134325b60e5dfeffd73d9b5abb8f9425c1a6ed24bda5315957e14e2744d00",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.inverse.default


@_onnxop.script.scripted(OP)
def inverse(
    self: Tensor,
) -> Tensor:
    """The operator aten::inverse.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::inverse returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Inverse(torch.nn.Module):
    """`inverse` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return inverse(
            input,
        )
