"""gallery::corrcoef: the operator, composed of PyTorch's own, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def _kernel(
    self: Tensor,
) -> Tensor:
    """gallery::corrcoef itself, without its registration."""
    return torch.corrcoef(self)


def _fake(
    self: Tensor,
) -> Tensor:
    """What the kernel returns, without its values: shape, dtype and device."""
    return self.new_empty([self.shape[0]] * 2 if self.dim() == 2 else [])


def rule(op: Any, self: Any) -> Any:
    """gallery::corrcoef in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 2:
        rows = op.Identity(self)
    else:
        rows = op.Reshape(self, op.constant([1, -1], like="INT64"))
    cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), rows)
    slice = op.Slice(
        rows,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape = op.Shape(slice)
    ones = op.Expand(cast_like, shape)
    reduce_sum = op.ReduceSum(rows, op.constant([1], like="INT64"), keepdims=1)
    reduce_sum_2 = op.ReduceSum(ones, op.constant([0, 1], like="INT64"), keepdims=0)
    div = op.Div(reduce_sum, reduce_sum_2)
    centred = op.Sub(rows, div)
    transpose = op.Transpose(centred, perm=[1, 0])
    products = op.MatMul(centred, transpose)
    mul = op.Mul(centred, centred)
    reduce_sum_3 = op.ReduceSum(mul, op.constant([1], like="INT64"), keepdims=1)
    size = op.Sqrt(reduce_sum_3)
    div_2 = op.Div(products, size)
    transpose_2 = op.Transpose(size, perm=[1, 0])
    found = op.Div(div_2, transpose_2)
    is_na_n = op.IsNaN(found)
    clip = op.Clip(found, op.constant(-1.0, like=self), op.constant(1.0, like=self))
    found_2 = op.Where(is_na_n, found, clip)
    if op.rank(self) == 2:
        result = op.Squeeze(found_2)
    else:
        result = op.Reshape(found_2, op.constant([], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="gallery::corrcoef.default",
    existing="aten::corrcoef.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="corrcoef",
    doc="The correlations of the rows.",
    spec="sha256:1d64f5b1b473ca90e09d21c75c17e7d93bdeb2a06b17de3a18870af83e4094b7",
    differentiable=[
        "self",
    ],
    kernel=_kernel,
    reference=_kernel,
    fake=_fake,
)
_onnxop.composed.define(
    OP,
    "(Tensor self) -> Tensor",
    module=__file__,
    backward="(Tensor grad, Tensor self, bool[] wants) -> Tensor",
)
_onnxop.rules.register(OP)


class CorrcoefFunction(_onnxop.autograd.Function):
    """`corrcoef` with its gradients, and its symbolic for the TorchScript exporter.

    `corrcoef` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _onnxop.autograd.save(ctx, *inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gradients = _onnxop.autograd.computed(OP, ctx, [grad])
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return _onnxop.rules.symbolic(OP)(g, *arguments)


_operator = _onnxop.autograd.register(OP, CorrcoefFunction)


@_onnxop.script.scripted(OP)
def corrcoef(
    self: Tensor,
) -> Tensor:
    """The correlations of the rows.

    Args:
        self: a tensor.

    Returns:
        A contiguous tensor.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Corrcoef(torch.nn.Module):
    """`corrcoef` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return corrcoef(
            input,
        )
