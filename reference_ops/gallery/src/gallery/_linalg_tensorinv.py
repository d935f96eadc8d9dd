"""aten::linalg_tensorinv: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, ind: Any) -> Any:
    """aten::linalg_tensorinv in ONNX; `op` writes the nodes for the exporter that asks."""
    sizes = [op.size(self, d) if d < op.rank(self) else 1 for d in range(ind, ind + 8)]
    n = sizes[0] * sizes[1] * sizes[2] * sizes[3] * sizes[4] * sizes[5] * sizes[6] * sizes[7]
    A = op.Reshape(self, op.constant([n, n], like="INT64"))
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(n, like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    left = op.Identity(A)
    right = op.Identity(eye)
    left_2, right_2 = left, right
    for k in range(n):
        less = op.Less(column, op.constant(k, like="INT64"))
        slice = op.Slice(
            left_2,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([1], like="INT64"),
        )
        abs = op.Abs(slice)
        candidates = op.Where(less, op.constant(-1.0, like=self), abs)
        place = op.ArgMax(candidates, axis=0, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, self)
        here = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([1], like="INT64"),
        )
        swap = op.Sub(here, chosen)
        turn = op.Transpose(swap, perm=[1, 0])
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
            op.constant([0], like="INT64"),
        )
        other = op.Slice(
            right_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        pivot = op.Slice(
            line,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([1], like="INT64"),
        )
        slice_2 = op.Slice(
            left_3,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([1], like="INT64"),
        )
        sub = op.Sub(slice_2, here)
        factor = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(factor, line)
        left_4 = op.Sub(left_3, mat_mul_5)
        mat_mul_6 = op.MatMul(factor, other)
        right_4 = op.Sub(right_3, mat_mul_6)
        left_2, right_2 = left_4, right_4
    return op.Reshape(
        right_2,
        op.constant([op.size(self, (d_2 + ind) % op.rank(self)) for d_2 in range(op.rank(self))], like="INT64"),
    )  # fmt: skip


OP = _onnxop.Operator(
    name="aten::linalg_tensorinv.default",
    existing="aten::linalg_tensorinv.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_tensorinv",
    doc="The operator aten::linalg_tensorinv.",
    spec="sha256:d3bd3b483d2e27d53b7c5d24b5d5bb5846cb58597b450644cf1a914e9ff869d2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_tensorinv.default


@_onnxop.script.scripted(OP)
def linalg_tensorinv(
    self: Tensor,
    ind: int = 2,
) -> Tensor:
    """The operator aten::linalg_tensorinv.

    Args:
        self: a tensor.
        ind: an integer; 2 by default.

    Returns:
        What PyTorch's aten::linalg_tensorinv returns.
    """
    result: Tensor = _operator(
        self,
        ind,
    )
    return result


class LinalgTensorinv(torch.nn.Module):
    """`linalg_tensorinv` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        ind: int = 2,
    ) -> None:
        super().__init__()
        self.ind = ind

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return linalg_tensorinv(
            input,
            self.ind,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"ind={self.ind}",
            ]
        )
