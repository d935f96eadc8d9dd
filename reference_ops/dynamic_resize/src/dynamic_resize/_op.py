"""dynamic_resize::resize in PyTorch: the dispatcher's operator, its gradients and its Python faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from dynamic_resize import _autograd, _library
from dynamic_resize._symbolic import symbolic

_kernel: Any = _library.load()

OP = "dynamic_resize::resize"

_operator = torch.ops.dynamic_resize.resize.default
_backward_operator = torch.ops.dynamic_resize.resize_backward.default
_DIFFERENTIABLE = ["input"]
_ARGUMENTS = ["input", "scales"]


def new_dynamic_size(*, min: int = 0, max: int | None = None) -> Any:
    """A size that only the data tell, as `torch.library.get_ctx` gives it."""
    context: Any = torch.library.get_ctx()
    return context.new_dynamic_size(min=min, max=max)


def _fake(input: Tensor, scales: Tensor) -> Tensor:
    """What the kernel returns, without its values: shape, dtype and device."""
    if input.dim() != 4 or scales.shape != (4,) or scales.dtype != torch.float32:
        raise ValueError("input must have 4 dimensions, and scales must be 4 of float32")
    return input.new_empty(*input.shape[:2], new_dynamic_size(min=1), new_dynamic_size(min=1))


torch.library.register_fake(OP, _fake)


def _fake_backward(grad: Tensor, *args: Any) -> Any:
    """The gradients, without their values; empty where one is not wanted."""
    *values, wants = args
    arguments = dict(zip(_ARGUMENTS, values, strict=True))
    found = [
        torch.empty(0) if tensor is None else tensor.new_empty(tensor.shape if is_wanted else 0)
        for tensor, is_wanted in zip((arguments[n] for n in _DIFFERENTIABLE), wants, strict=True)
    ]
    return found[0] if len(found) == 1 else tuple(found)


torch.library.register_fake(f"{OP}_backward", _fake_backward)


def _kernel_gradients(
    grad: Tensor, arguments: Sequence[Any], wants: Sequence[bool]
) -> list[Tensor | None]:
    """The gradients that the kernel gives; None where one is not wanted."""
    if not any(wants):
        return [None for _ in wants]
    found = _backward_operator(grad, *arguments, wants)
    found = [found] if isinstance(found, Tensor) else found
    return [each if is_wanted else None for each, is_wanted in zip(found, wants, strict=True)]


class ResizeFunction(torch.autograd.Function):
    """`resize` as an autograd function: its gradients, and its symbolic for TorchScript export.

    `resize` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @classmethod
    def apply(cls, *args: Any) -> Any:
        if _autograd.is_transformed():  # the operator knows of tangents and of torch.func
            return cls.forward(*args)
        return super().apply(*args)

    @staticmethod
    def forward(input: Tensor, scales: Tensor) -> Tensor:
        result: Tensor = _operator(input, scales)
        return result

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        input, scales = inputs
        ctx.save_for_backward(input, scales)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        input, scales = ctx.saved_tensors
        arguments = input, scales
        wants = [ctx.needs_input_grad[0]]
        (grad_input,) = _kernel_gradients(grad, arguments, wants)
        return grad_input, None

    @staticmethod
    def symbolic(g: Any, input: torch.Value, scales: torch.Value) -> Any:
        return symbolic(g, input, scales)


_autograd.register(_operator, ResizeFunction)
_autograd.register_composite(_backward_operator, _library.differentiable_backward)


def resize(input: Tensor, scales: Tensor) -> Tensor:
    """Bicubic interpolation whose scales are an input of the graph: one exported model, every scale.

    The input is [n, c, h, w]; the scales are 4 of float32, 1 and 1 before those of height and width.

    Args:
        input: a tensor.
        scales: a tensor.

    Returns:
        A contiguous tensor.
    """
    result: Tensor = _operator(input, scales)
    return result


class Resize(torch.nn.Module):
    """`resize` as a module."""

    def forward(self, input: Tensor, scales: Tensor) -> Tensor:
        return resize(input, scales)
