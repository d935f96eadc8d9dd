"""aten::linalg_cholesky_ex: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, upper: Any, check_errors: Any) -> Any:
    """aten::linalg_cholesky_ex in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    n = op.Gather(shape, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2]
    index = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    shape_2 = op.Shape(self)
    outer = op.Slice(
        shape_2,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    equal = op.Equal(column, index)
    eye = op.CastLike(equal, self)
    rest = op.Identity(self)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), self)
    shape_3 = op.Shape(self)
    lower = op.Expand(cast_like, shape_3)
    constant_2 = op.Constant(value_int=0)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    info = op.Expand(constant_2, concat)

    def step(k: Any, keep: Any, rest_2: Any, lower_2: Any, info_2: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        c = op.Gather(rest_2, at, axis=-1)
        pivot = op.Gather(c, at, axis=-2)
        equal_2 = op.Equal(info_2, op.constant(0, like="INT64"))
        greater = op.Greater(pivot, op.constant(0.0, like=self))
        not_2 = op.Not(greater)
        and_2 = op.And(equal_2, not_2)
        add = op.Add(k, op.constant(1, like="INT64"))
        info_3 = op.Where(and_2, add, info_2)
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
        return keep_2, rest_3, lower_3, info_3

    _value, lower_4, info_4 = op.Loop(
        n,
        op.constant(True, like="BOOL"),
        rest,
        lower,
        info,
        body=step,
        _outputs=3,
    )
    if upper:
        L = op.Transpose(lower_4, perm=turned)
        reshape = op.Reshape(info_4, outer, allowzero=1)
        info_5 = op.Cast(reshape, to=6)
        result, result_2 = L, info_5
    else:
        reshape_2 = op.Reshape(info_4, outer, allowzero=1)
        info_6 = op.Cast(reshape_2, to=6)
        result, result_2 = lower_4, info_6
    return result, result_2


OP = _onnxop.Operator(
    name="aten::linalg_cholesky_ex.default",
    existing="aten::linalg_cholesky_ex.default",
    results=[
        "L",
        "info",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_cholesky_ex",
    doc="The operator aten::linalg_cholesky_ex.",
    spec="sha256:a7be6e458bb8ec40629d151248ad581fd016ed484c83c1ff6d5d965c44ee3827",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_cholesky_ex.default


@_onnxop.script.scripted(OP)
def linalg_cholesky_ex(
    self: Tensor,
    *,
    upper: bool = False,
    check_errors: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::linalg_cholesky_ex.

    Args:
        self: a tensor.
        upper: a boolean; False by default.
        check_errors: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_cholesky_ex returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        upper=upper,
        check_errors=check_errors,
    )
    return result


class LinalgCholeskyEx(torch.nn.Module):
    """`linalg_cholesky_ex` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        upper: bool = False,
        check_errors: bool = False,
    ) -> None:
        super().__init__()
        self.upper = upper
        self.check_errors = check_errors

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return linalg_cholesky_ex(
            input,
            upper=self.upper,
            check_errors=self.check_errors,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"upper={self.upper}",
                f"check_errors={self.check_errors}",
            ]
        )
