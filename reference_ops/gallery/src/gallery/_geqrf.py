"""gallery::geqrf: the operator, composed of PyTorch's own, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def _kernel(
    self: Tensor,
) -> tuple[Tensor, ...]:
    """gallery::geqrf itself, without its registration."""
    return torch.geqrf(self)


def _fake(
    self: Tensor,
) -> tuple[Tensor, Tensor]:
    """What the kernel returns, without its values: shape, dtype and device."""
    return (self.new_empty(self.shape), self.new_empty([*self.shape[:-2], min(self.shape[-2:])]))


def rule(op: Any, self: Any) -> Any:
    """gallery::geqrf in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    m = op.Gather(shape, op.constant(-2, like="INT64"))
    shape_2 = op.Shape(self)
    n = op.Gather(shape_2, op.constant(-1, like="INT64"))
    turned = list(range(op.rank(self) - 2)) + [op.rank(self) - 1, op.rank(self) - 2]
    range_2 = op.Range(op.constant(0, like="INT64"), m, op.constant(1, like="INT64"))
    column = op.Unsqueeze(range_2, op.constant([1], like="INT64"))
    row = op.Range(op.constant(0, like="INT64"), n, op.constant(1, like="INT64"))
    short = op.Min(m, n)

    def step(k: Any, keep: Any, a: Any) -> Any:
        at = op.Unsqueeze(k, op.constant([0], like="INT64"))
        less = op.Less(column, k)
        gather = op.Gather(a, at, axis=-1)
        c = op.Where(less, op.constant(0.0, like=self), gather)
        greater = op.Greater(column, k)
        below = op.Where(greater, c, op.constant(0.0, like=self))
        first = op.Gather(c, at, axis=-2)
        mul = op.Mul(below, below)
        reduce_sum = op.ReduceSum(mul, op.constant([-2], like="INT64"), keepdims=1)
        rest = op.Slice(
            reduce_sum,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([-2], like="INT64"),
        )
        mul_2 = op.Mul(first, first)
        add = op.Add(mul_2, rest)
        size = op.Sqrt(add)
        less_2 = op.Less(first, op.constant(0.0, like=self))
        neg = op.Neg(size)
        beta = op.Where(less_2, size, neg)
        is_flat = op.Equal(rest, op.constant(0.0, like=self))
        sub = op.Sub(beta, first)
        div = op.Div(sub, beta)
        tau = op.Where(is_flat, op.constant(0.0, like=self), div)
        sub_2 = op.Sub(first, beta)
        div_2 = op.Div(below, sub_2)
        tail = op.Where(is_flat, op.constant(0.0, like=self), div_2)
        equal = op.Equal(column, k)
        cast_like = op.CastLike(equal, self)
        v = op.Add(tail, cast_like)
        transpose = op.Transpose(v, perm=turned)
        mat_mul = op.MatMul(transpose, a)
        turn = op.Mul(v, mat_mul)
        less_3 = op.Less(row, k)
        mul_3 = op.Mul(tau, turn)
        sub_3 = op.Sub(a, mul_3)
        a_2 = op.Where(less_3, a, sub_3)
        equal_2 = op.Equal(row, k)
        greater_2 = op.Greater(column, k)
        and_2 = op.And(equal_2, greater_2)
        a_3 = op.Where(and_2, tail, a_2)
        squeeze = op.Squeeze(tau, op.constant([-2, -1], like="INT64"))
        keep_2 = op.Identity(keep)
        return keep_2, a_3, squeeze

    a_4, taus = op.Loop(short, op.constant(True, like="BOOL"), self, body=step, _outputs=2)
    unsqueeze = op.Unsqueeze(short, op.constant([0], like="INT64"))
    shape_3 = op.Shape(self)
    slice = op.Slice(
        shape_3,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    concat = op.Concat(unsqueeze, slice, axis=0)
    taus_2 = op.Reshape(taus, concat, allowzero=1)
    tau_2 = op.Transpose(taus_2, perm=list(range(1, op.rank(self) - 2 + 1)) + [0])
    return a_4, tau_2


OP = _onnxop.Operator(
    name="gallery::geqrf.default",
    existing="aten::geqrf.default",
    results=[
        "a",
        "tau",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="geqrf",
    doc="The operator aten::geqrf.",
    spec="sha256:bf9fd873e6c3950ab4f4fd7be8479f51be39121a6aeb39adfb760e653729d2ae",
    kernel=_kernel,
    reference=_kernel,
    fake=_fake,
)
_onnxop.composed.define(
    OP,
    "(Tensor self) -> (Tensor a, Tensor tau)",
    module=__file__,
)
_onnxop.rules.register(OP)


class GeqrfFunction(_onnxop.autograd.Function):
    """`geqrf` with its gradients, and its symbolic for the TorchScript exporter.

    `geqrf` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _onnxop.autograd.mark_integers(ctx, output)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        gradients: list[Tensor | None] = [None] * 1
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return _onnxop.rules.symbolic(OP)(g, *arguments)


_operator = _onnxop.autograd.register(OP, GeqrfFunction)


@_onnxop.script.scripted(OP)
def geqrf(
    self: Tensor,
) -> tuple[Tensor, Tensor]:
    """The operator aten::geqrf.

    Args:
        self: a tensor.

    Returns:
        a and tau: contiguous tensors, in a tuple.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
    )
    return result


class Geqrf(torch.nn.Module):
    """`geqrf` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return geqrf(
            input,
        )
