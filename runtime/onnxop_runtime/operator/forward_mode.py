"""Forward-mode AD: the tangents of an operator's results, from its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from ..torch_internals import unwrapped
from .dispatch import Schema
from .lists import Lengths, flat, listed, nested

_make_dual: Any = forward_ad.make_dual
_unpack_dual: Any = forward_ad.unpack_dual


def unpacked(value: Any) -> tuple[Any, Tensor | None]:
    """A value and its tangent, if it has one."""
    if not isinstance(value, Tensor):
        return value, None
    primal, tangent = _unpack_dual(value, level=0)
    return primal, tangent


def dual(primal: Tensor, tangent: Tensor | None) -> Tensor:
    """The tensor with its tangent."""
    if tangent is None:
        return primal
    made: Tensor = _make_dual(primal, tangent, level=0)
    return made


def jvp(
    schema: Schema,
    function: Any,
    values: Sequence[Any],
    tangents: Sequence[Tensor | None],
    output: Any,
    lengths: Lengths,
) -> list[Tensor | None]:
    """The tangents of the results: the gradients are linear in those of the results, and the
    transpose of that is forward-mode AD. ``values`` and ``tangents`` are those of lists one by one.
    """
    results = listed(output)
    is_float = [result.is_floating_point() or result.is_complex() for result in results]
    if not any(is_float):
        return [None for _ in results]
    wanted = [tangent is not None for tangent in tangents]
    context: Any = _Context(tuple(nested(wanted, lengths)))
    function.setup_context(context, tuple(nested(values, lengths)), output)
    with torch.enable_grad():
        grads = [_ones(*pair) for pair in zip(results, is_float, strict=True)]
        found = flat(function.backward(context, *grads), lengths)
        names = flat(schema.names, lengths)
        pairs = [
            (_gradient(schema, names[place], values[place], found[place], tangent), tangent)
            for place, tangent in enumerate(tangents)
            if tangent is not None
        ]
    linear = [(grad, tangent) for grad, tangent in pairs if grad is not None]
    if not linear:
        return [None for _ in results]
    transposed = iter(
        torch.autograd.grad(
            [grad for grad, _ in linear],
            [grad for grad, is_wanted in zip(grads, is_float, strict=True) if is_wanted],
            [tangent for _, tangent in linear],
            create_graph=torch.is_grad_enabled(),
            allow_unused=True,
        )
    )
    return [next(transposed) if is_wanted else None for is_wanted in is_float]


class _Context:
    """What `setup_context` and `backward` use of a Function's context."""

    def __init__(self, needs_input_grad: tuple[Any, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Tensor | None, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        pass


def _ones(result: Tensor, requires_grad: bool) -> Tensor:
    """A gradient of a result, of which that of an integer is always zero."""
    make = torch.ones if requires_grad else torch.zeros
    return make(result.shape, dtype=result.dtype, device=result.device, requires_grad=requires_grad)


def _gradient(
    schema: Schema, name: str, value: Tensor, grad: Tensor | None, tangent: Tensor
) -> Tensor | None:
    """An argument's gradient as autograd would take it; None for one that is always zero.

    Raises:
        NotImplementedError: the tangent would be lost.
    """
    if grad is None:
        if _is_any(tangent):
            raise schema.refusal(name, "forward-mode AD has a tangent for it")
        return None
    if not grad.requires_grad:
        if _is_any(grad):
            raise NotImplementedError(
                f"{schema.operator}: {name} has a tangent, but PyTorch cannot "
                "differentiate its formula in [autograd] of the spec with respect to grad; write it "
                "with differentiable functions"
            )
        return None
    return grad.sum_to_size(value.shape).to(value.dtype)


def _is_any(tensor: Tensor) -> bool:
    """Whether one of its values is not zero, those of all items of torch.vmap's together."""
    return bool(unwrapped(tensor).any())
