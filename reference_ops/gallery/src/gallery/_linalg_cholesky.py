"""aten::linalg_cholesky: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, upper: Any) -> Any:
    """aten::linalg_cholesky in ONNX; `op` writes the nodes for the exporter that asks."""
    index = op.Range(
        op.constant(0, like="INT64"),
        op.constant(op.size(self, -1), like="INT64"),
        op.constant(1, like="INT64"),
    )
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    rest = op.Identity(self)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), self)
    shape = op.Shape(self)
    lower = op.Expand(cast_like, shape)
    rest_2, lower_2 = rest, lower
    for k in range(op.size(self, -1)):
        c = op.Slice(
            rest_2,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-1], like="INT64"),
        )
        pivot = op.Slice(
            c,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        less = op.Less(column, op.constant(k, like="INT64"))
        sqrt = op.Sqrt(pivot)
        div = op.Div(c, sqrt)
        c_2 = op.Where(less, op.constant(0.0, like=self), div)
        transpose = op.Transpose(
            c_2,
            perm=list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2],
        )
        mat_mul = op.MatMul(c_2, transpose)
        rest_3 = op.Sub(rest_2, mat_mul)
        slice = op.Slice(
            eye,
            op.constant([k], like="INT64"),
            op.constant([k + 1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        mul = op.Mul(c_2, slice)
        lower_3 = op.Add(lower_2, mul)
        rest_2, lower_2 = rest_3, lower_3
    if upper:
        result = op.Transpose(
            lower_2,
            perm=list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2],
        )
    else:
        result = lower_2
    return result


OP = _onnxop.Operator(
    name="aten::linalg_cholesky.default",
    existing="aten::linalg_cholesky.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_cholesky",
    doc="The operator aten::linalg_cholesky.",
    spec="sha256:603d70858b6dddd51f124de5ea00b27d36d433f6ea2672c3a08569dcbceca7b0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_cholesky.default


@_onnxop.script.scripted(OP)
def linalg_cholesky(
    self: Tensor,
    *,
    upper: bool = False,
) -> Tensor:
    """The operator aten::linalg_cholesky.

    Args:
        self: a tensor.
        upper: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_cholesky returns.
    """
    result: Tensor = _operator(
        self,
        upper=upper,
    )
    return result


class LinalgCholesky(torch.nn.Module):
    """`linalg_cholesky` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        upper: bool = False,
    ) -> None:
        super().__init__()
        self.upper = upper

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return linalg_cholesky(
            input,
            upper=self.upper,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"upper={self.upper}",
            ]
        )
