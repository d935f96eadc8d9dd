"""aten::linalg_cholesky: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, upper: Any) -> Any:
    """aten::linalg_cholesky in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2]
    index = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    rest = op.Identity(self)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), self)
    shape_2 = op.Shape(self)
    lower = op.Expand(cast_like, shape_2)

    def step(k: Any, keep: Any, rest_2: Any, lower_2: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        c = op.Gather(rest_2, at, axis=-1)
        pivot = op.Gather(c, at, axis=-2)
        less = op.Less(column, k)
        sqrt = op.Sqrt(pivot)
        div = op.Div(c, sqrt)
        c_2 = op.Where(less, op.constant(0.0, like=self), div)
        transpose = op.Transpose(c_2, perm=turned)
        mat_mul = op.MatMul(c_2, transpose)
        rest_3 = op.Sub(rest_2, mat_mul)
        gather = op.Gather(eye, at, axis=0)
        mul = op.Mul(c_2, gather)
        lower_3 = op.Add(lower_2, mul)
        keep_2 = op.Identity(keep)
        return keep_2, rest_3, lower_3

    _value, lower_4 = op.Loop(n, op.constant(True, like="BOOL"), rest, lower, body=step, _outputs=2)
    if upper:
        result = op.Transpose(lower_4, perm=turned)
    else:
        result = lower_4
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
    spec="sha256:65220401e2fa674a509188b915d27ca3f45d2f3374a502b50bee65fb4197f4f4",
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
