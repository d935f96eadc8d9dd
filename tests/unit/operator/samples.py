"""Operators of a package in Python, which needs no build: one with formulas of its gradients, one
whose gradients come from autograd through its kernel, and one that takes a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from onnxop_runtime import API, Function
from onnxop_runtime.package import Package

PACKAGE = Package("unit_ops", api=API)


def scaled_kernel(x: Tensor, weight: Tensor, alpha: float = 1.0) -> Tensor:
    return alpha * x * x * weight


SCALED = PACKAGE.operator(
    name="unit_ops::scaled.default",
    schema="(Tensor x, Tensor weight, float alpha=1.0) -> Tensor",
    kernel=scaled_kernel,
    reference=scaled_kernel,
    domain="unit_ops",
    op_type="Scaled",
)


class ScaledFunction(Function):
    """The gradient of ``x`` has a formula; the one of ``weight`` has none."""

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return SCALED.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        SCALED.save(ctx, *inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, alpha = SCALED.saved(ctx)
        gradient = 2 * alpha * x * weight * grad if ctx.needs_input_grad[0] else None
        if ctx.needs_input_grad[1]:
            raise SCALED.missing("weight")
        return gradient, None, None


scaled = PACKAGE.register(SCALED, ScaledFunction)


def normalized_kernel(x: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
    picked = x[index]
    return picked / picked.norm(), index + 1


NORMALIZED = PACKAGE.operator(
    name="unit_ops::normalized.default",
    schema="(Tensor x, Tensor index) -> (Tensor, Tensor)",
    backward_schema="(Tensor grad_y, Tensor grad_n, Tensor x, Tensor index, bool[1] wants) -> Tensor",
    results=["y", "n"],
    kernel=normalized_kernel,
    reference=normalized_kernel,
    differentiable=["x"],
    domain="unit_ops",
    op_type="Normalized",
)


class NormalizedFunction(Function):
    """The gradient comes from autograd through the kernel."""

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return NORMALIZED.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Sequence[Tensor]) -> None:
        Function.mark_without_gradients(ctx, output)
        NORMALIZED.save(ctx, *inputs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        return tuple(NORMALIZED.gradients(ctx, grads))


normalized = PACKAGE.register(NORMALIZED, NormalizedFunction)


def weighted_kernel(tensors: Sequence[Tensor], weight: Tensor) -> Tensor:
    return weight * torch.stack([*tensors]).sum(0)


WEIGHTED = PACKAGE.operator(
    name="unit_ops::weighted.default",
    schema="(Tensor[] tensors, Tensor weight) -> Tensor",
    kernel=weighted_kernel,
    reference=weighted_kernel,
    autocast="float32",
    domain="unit_ops",
    op_type="Weighted",
)


class WeightedFunction(Function):
    """A list of tensors has a list of gradients."""

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return WEIGHTED.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        WEIGHTED.save(ctx, *inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        tensors, weight = WEIGHTED.saved(ctx)
        gradient = (grad * weight).sum_to_size(tensors[0].shape)
        of_weight = (grad * torch.stack([*tensors]).sum(0)).sum_to_size(weight.shape)
        return [gradient for _ in tensors], of_weight


weighted = PACKAGE.register(WEIGHTED, WeightedFunction)
