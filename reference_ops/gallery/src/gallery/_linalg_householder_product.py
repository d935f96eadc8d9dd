"""aten::linalg_householder_product: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, input: Any, tau: Any) -> Any:
    """aten::linalg_householder_product in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(input)
    m = op.Gather(shape, op.constant(-2, like="INT64"))
    index = op.Range(op.constant(0, like="INT64"), m, op.constant(1, like="INT64"))
    column = op.Unsqueeze(index, op.constant([1], like="INT64"))
    turned = list(range(op.rank(input) - 2)) + [op.rank(input) - 1, op.rank(input) - 2]
    scales = op.Unsqueeze(tau, op.constant([-2], like="INT64"))
    shape_2 = op.Shape(input)
    outer = op.Slice(
        shape_2,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), input)
    concat = op.Concat(outer, op.constant([1, 1], like="INT64"), axis=0)
    zeros = op.Expand(cast_like, concat)
    equal = op.Equal(column, index)
    cast_like_2 = op.CastLike(equal, input)
    eye = op.Add(cast_like_2, zeros)
    shape_3 = op.Shape(tau)
    gather = op.Gather(shape_3, op.constant(-1, like="INT64"))

    def step(k: Any, keep: Any, q: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        greater = op.Greater(column, k)
        gather_2 = op.Gather(input, at, axis=-1)
        below = op.Where(greater, gather_2, op.constant(0.0, like=input))
        equal_2 = op.Equal(column, k)
        cast_like_3 = op.CastLike(equal_2, input)
        v = op.Add(below, cast_like_3)
        gather_3 = op.Gather(scales, at, axis=-1)
        mul = op.Mul(v, gather_3)
        rest = op.MatMul(q, mul)
        transpose = op.Transpose(v, perm=turned)
        mat_mul = op.MatMul(rest, transpose)
        sub = op.Sub(q, mat_mul)
        keep_2 = op.Identity(keep)
        return keep_2, sub

    q_2 = op.Loop(gather, op.constant(True, like="BOOL"), eye, body=step)
    shape_4 = op.Shape(input)
    slice = op.Slice(
        shape_4,
        op.constant([-1], like="INT64"),
        op.constant([9223372036854775807], like="INT64"),
        op.constant([0], like="INT64"),
    )
    return op.Slice(q_2, op.constant([0], like="INT64"), slice, op.constant([-1], like="INT64"))


OP = _onnxop.Operator(
    name="aten::linalg_householder_product.default",
    existing="aten::linalg_householder_product.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_householder_product",
    doc="The operator aten::linalg_householder_product.",
    spec="sha256:a6c5cb0b4f83ebe51a1e4cacb1fdbce46d952638c74693b122fd5d2825285c2d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_householder_product.default


@_onnxop.script.scripted(OP)
def linalg_householder_product(
    input: Tensor,
    tau: Tensor,
) -> Tensor:
    """The operator aten::linalg_householder_product.

    Args:
        input: a tensor.
        tau: a tensor.

    Returns:
        What PyTorch's aten::linalg_householder_product returns.
    """
    result: Tensor = _operator(
        input,
        tau,
    )
    return result


class LinalgHouseholderProduct(torch.nn.Module):
    """`linalg_householder_product` as a module."""

    def forward(
        self,
        input: Tensor,
        tau: Tensor,
    ) -> Tensor:
        return linalg_householder_product(
            input,
            tau,
        )
