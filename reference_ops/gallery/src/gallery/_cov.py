"""gallery::cov: the operator, composed of PyTorch's own, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def _kernel(
    self: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """gallery::cov itself, without its registration."""
    return torch.cov(self, correction=correction, fweights=fweights, aweights=aweights)


def _fake(
    self: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """What the kernel returns, without its values: shape, dtype and device."""
    return self.new_empty([self.shape[0]] * 2 if self.dim() == 2 else [])


def rule(op: Any, self: Any, correction: Any, fweights: Any, aweights: Any) -> Any:
    """gallery::cov in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 2:
        rows = op.Identity(self)
    else:
        rows = op.Reshape(self, op.constant([1, -1], like="INT64"))
    if aweights is not None:
        rows_3 = op.CastLike(rows, aweights)
    else:
        rows_3 = rows
    cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), rows_3)
    slice = op.Slice(
        rows_3,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    shape = op.Shape(slice)
    weights = op.Expand(cast_like, shape)
    if fweights is not None:
        cast_like_2 = op.CastLike(fweights, rows_3)
        weights_3 = op.Mul(weights, cast_like_2)
    else:
        weights_3 = weights
    mass = op.Identity(weights_3)
    if aweights is not None:
        cast_like_3 = op.CastLike(aweights, rows_3)
        weights_5 = op.Mul(weights_3, cast_like_3)
    else:
        weights_5 = weights_3
    total = op.ReduceSum(weights_5, op.constant([0, 1], like="INT64"), keepdims=0)
    mul = op.Mul(rows_3, weights_5)
    reduce_sum = op.ReduceSum(mul, op.constant([1], like="INT64"), keepdims=1)
    div = op.Div(reduce_sum, total)
    centred = op.Sub(rows_3, div)
    mul_2 = op.Mul(weights_5, weights_5)
    div_2 = op.Div(mul_2, mass)
    reduce_sum_2 = op.ReduceSum(div_2, op.constant([0, 1], like="INT64"), keepdims=0)
    shift = op.Div(reduce_sum_2, total)
    if aweights is not None:
        chosen = shift
    else:
        chosen = op.Sign(total)
    mul_3 = op.Mul(op.constant(float(correction), like=self), chosen)
    divisor = op.Sub(total, mul_3)
    mul_4 = op.Mul(centred, weights_5)
    transpose = op.Transpose(centred, perm=[1, 0])
    mat_mul = op.MatMul(mul_4, transpose)
    max = op.Max(divisor, op.constant(0.0, like=self))
    found = op.Div(mat_mul, max)
    if op.rank(self) == 2:
        result = op.Squeeze(found)
    else:
        result = op.Reshape(found, op.constant([], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="gallery::cov.default",
    existing="aten::cov.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="cov",
    doc="The covariances of the rows.",
    spec="sha256:6dff8bf32c701ae5e28a221a293194f177caa7c32991b2ddd3d191e2edc1f227",
    differentiable=[
        "self",
        "fweights",
        "aweights",
    ],
    kernel=_kernel,
    reference=_kernel,
    fake=_fake,
)
_onnxop.composed.define(
    OP,
    "(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
    module=__file__,
    backward="(Tensor grad, Tensor self, int correction, Tensor? fweights, Tensor? aweights, bool[] wants) -> (Tensor, Tensor, Tensor)",
)
_onnxop.rules.register(OP)


class CovFunction(_onnxop.autograd.Function):
    """`cov` with its gradients, and its symbolic for the TorchScript exporter.

    `cov` itself goes through the dispatcher, which is quicker and has the same gradients.
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


_operator = _onnxop.autograd.register(OP, CovFunction)


@_onnxop.script.scripted(OP)
def cov(
    self: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """The covariances of the rows.

    Args:
        self: a tensor.
        correction: an integer; 1 by default.
        fweights: a tensor or None; None by default.
        aweights: a tensor or None; None by default.

    Returns:
        A contiguous tensor.
    """
    result: Tensor = _operator(
        self,
        correction=correction,
        fweights=fweights,
        aweights=aweights,
    )
    return result


class Cov(torch.nn.Module):
    """`cov` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        correction: int = 1,
    ) -> None:
        super().__init__()
        self.correction = correction

    def forward(
        self,
        input: Tensor,
        fweights: Tensor | None = None,
        aweights: Tensor | None = None,
    ) -> Tensor:
        return cov(
            input,
            correction=self.correction,
            fweights=fweights,
            aweights=aweights,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"correction={self.correction}",
            ]
        )
