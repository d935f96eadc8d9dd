"""Forward-mode AD: the tangents of an operator's results, computed from its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from ..torch_internals import dispatch_modes, forward_level, unpack_dual, unwrapped
from .arguments import Signature
from .lists import Lengths, as_list, flat, nested, tensors_in

_make_dual: Any = forward_ad.make_dual
_traced_levels: list[bool] = []
"""Not empty once a call was traced under forward-mode AD: the graphs of torch.compile enter that
level, invisible to Python.
"""


def has_tangents(values: Sequence[object]) -> bool:
    """Return whether one of the values, or an item of a list, is a tensor with a tangent."""
    if forward_level() >= 0:
        if dispatch_modes() > 0 and not _traced_levels:
            _traced_levels.append(True)
    elif not _traced_levels:
        return False  # a look at each tensor would double the time of a small call
    return any(unpack_dual(x, level=0)[1] is not None for x in tensors_in(values))


def unpacked(value: object) -> tuple[Any, Tensor | None]:
    """Return a value and its tangent, if it has one."""
    if not isinstance(value, Tensor):
        return value, None
    primal, tangent = unpack_dual(value, level=0)
    return primal, tangent


def with_tangents(output: object, tangents: Sequence[Tensor | None]) -> Any:
    """Return an operator's results with their tangents."""
    results = tuple(
        result if tangent is None else _make_dual(result, tangent, level=0)
        for result, tangent in zip(as_list(output), tangents, strict=True)
    )
    return results[0] if isinstance(output, Tensor) else results


def jvp(
    signature: Signature,
    function: Any,
    values: Sequence[Any],
    tangents: Sequence[Tensor | None],
    output: Any,
    lengths: Lengths,
) -> list[Tensor | None]:
    """Return the tangents of the results. The gradients are linear in the results' gradients; the
    transpose of that map is the jvp. In ``values`` and ``tangents``, lists are flattened.
    """
    results = as_list(output)
    is_float = [result.is_floating_point() or result.is_complex() for result in results]
    if not any(is_float):
        return [None for _ in results]
    context: Any = Context(tuple(nested([t is not None for t in tangents], lengths)))
    function.setup_context(context, tuple(nested(values, lengths)), output)
    names = flat(signature.names, lengths)
    gradients: list[Tensor] = []
    tangents_of_gradients: list[Tensor] = []
    with torch.enable_grad():
        grads = [_any_grad(result) for result in results]
        argument_grads = flat(function.backward(context, *grads), lengths)
        rows = zip(names, values, argument_grads, tangents, strict=True)
        for name, value, argument_grad, tangent in rows:
            if tangent is None:
                continue
            gradient = _gradient(signature, name, value, argument_grad, tangent)
            if gradient is not None:
                gradients.append(gradient)
                tangents_of_gradients.append(tangent)
    if not gradients:
        return [None for _ in results]
    transposed = iter(
        torch.autograd.grad(
            gradients,
            [grad for grad in grads if grad.requires_grad],
            tangents_of_gradients,
            create_graph=torch.is_grad_enabled(),
            allow_unused=True,
        )
    )
    return [next(transposed) if has_gradient else None for has_gradient in is_float]


def _any_grad(result: Tensor) -> Tensor:
    """Return a gradient of a result, to differentiate by: its values do not matter. Integers have
    none.
    """
    has_gradient = result.is_floating_point() or result.is_complex()
    make = torch.ones if has_gradient else torch.zeros
    # Of the sizes, not like the result, which may be a tensor of a transform.
    return make(result.shape, dtype=result.dtype, device=result.device, requires_grad=has_gradient)


class Context:
    """The part of a Function's context that `setup_context` and `backward` use."""

    def __init__(self, needs_input_grad: tuple[object, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Tensor | None, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        pass


def _gradient(
    signature: Signature, name: str, value: Tensor, grad: Tensor | None, tangent: Tensor
) -> Tensor | None:
    """Return an argument's gradient as autograd would take it; None if it is always zero. Raise
    NotImplementedError if the tangent would be lost.
    """
    if grad is not None and grad.requires_grad:
        return grad.sum_to_size(value.shape).to(value.dtype)
    # Unwrapped, as any() of a torch.vmap tensor would be one value per item.
    if unwrapped(tangent if grad is None else grad).any():
        raise signature.refusal(name, "forward-mode AD has a tangent for it")
    return None
