"""aten::linalg_tensorinv: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, ind: Any) -> Any:
    """aten::linalg_tensorinv in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    first = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([ind], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape_2 = op.Shape(self)
    last = op.Slice(
        shape_2,
        op.constant([ind], like="INT64"),
        op.constant([op.rank(self)], like="INT64"),
        op.constant([0], like="INT64"),
    )
    n = op.ReduceProd(last, keepdims=0)
    unsqueeze = op.Unsqueeze(n, op.constant([0], like="INT64"))
    unsqueeze_2 = op.Unsqueeze(n, op.constant([0], like="INT64"))
    concat = op.Concat(unsqueeze, unsqueeze_2, axis=0)
    A = op.Reshape(self, concat, allowzero=1)
    index = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    left = op.Identity(A)
    right = op.Identity(eye)

    def step(k: Any, keep: Any, left_2: Any, right_2: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(left_2, at, axis=1)
        abs = op.Abs(gather)
        candidates = op.Where(less, op.constant(-1.0, like=self), abs)
        place = op.ArgMax(candidates, axis=0, keepdims=1)
        equal_2 = op.Equal(column, place)
        chosen = op.CastLike(equal_2, self)
        here = op.Gather(eye, at, axis=1)
        swap = op.Sub(here, chosen)
        turn = op.Transpose(swap, perm=[1, 0])
        mat_mul = op.MatMul(turn, left_2)
        mat_mul_2 = op.MatMul(swap, mat_mul)
        left_3 = op.Sub(left_2, mat_mul_2)
        mat_mul_3 = op.MatMul(turn, right_2)
        mat_mul_4 = op.MatMul(swap, mat_mul_3)
        right_3 = op.Sub(right_2, mat_mul_4)
        line = op.Gather(left_3, at, axis=0)
        other = op.Gather(right_3, at, axis=0)
        pivot = op.Gather(line, at, axis=1)
        gather_2 = op.Gather(left_3, at, axis=1)
        sub = op.Sub(gather_2, here)
        factor = op.Div(sub, pivot)
        mat_mul_5 = op.MatMul(factor, line)
        left_4 = op.Sub(left_3, mat_mul_5)
        mat_mul_6 = op.MatMul(factor, other)
        right_4 = op.Sub(right_3, mat_mul_6)
        keep_2 = op.Identity(keep)
        return keep_2, left_4, right_4

    _value, right_5 = op.Loop(n, op.constant(True, like="BOOL"), left, right, body=step, _outputs=2)
    concat_2 = op.Concat(last, first, axis=0)
    return op.Reshape(right_5, concat_2, allowzero=1)


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
    spec="sha256:5b4850248277ffa033c3db12d97fb157a2c4cfbf1a619e3105f107e850f6dece",
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
