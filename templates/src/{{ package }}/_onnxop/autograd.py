"""The gradients of the operators: what their Functions save, and what a kernel computes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import composed
from .operator import Operator


def save(ctx: Any, *values: Any) -> None:
    """Keeps values for the backward pass, tensors or not: `saved` gives them back."""
    ctx.places = [isinstance(value, Tensor) for value in values]
    ctx.save_for_backward(*(value for value in values if isinstance(value, Tensor)))
    ctx.others = [value for value in values if not isinstance(value, Tensor)]


def saved(ctx: Any) -> list[Any]:
    tensors, others = iter(ctx.saved_tensors), iter(ctx.others)
    return [next(tensors if is_tensor else others) for is_tensor in ctx.places]


def mark_integers(ctx: Any, outputs: Sequence[Tensor]) -> None:
    """Results of integers and truth values have no gradient."""
    kinds = [
        output for output in outputs if not (output.is_floating_point() or output.is_complex())
    ]
    ctx.mark_non_differentiable(*kinds)


def missing(operator: Operator, argument: str) -> NotImplementedError:
    """What asking for a gradient raises that the spec does not give."""
    return NotImplementedError(f"{operator}: [autograd] gives no formula for {argument}")


def register(operator: Operator, function: Any) -> None:
    """Gives the dispatcher's operator the gradients of its Function."""
    arguments = operator.arguments
    positional = sum(not argument.keyword_only for argument in arguments)

    def setup_context(
        ctx: Any,
        inputs: tuple[Any, ...],
        output: Any,
        keyword_only_inputs: dict[str, Any] | None = None,
    ) -> None:
        function.setup_context(ctx, (*inputs, *(keyword_only_inputs or {}).values()), output)

    def backward(ctx: Any, *grads: Tensor) -> Any:
        return function.backward(ctx, *grads)[:positional]

    torch.library.register_autograd(str(operator), backward, setup_context=setup_context)
    if operator.differentiable:
        _register_backward(operator)


def _register_backward(operator: Operator) -> None:
    """The fake kernel of ``<name>_backward``, and what differentiating it again means."""
    name = f"{operator}_backward"

    def fake(*args: Any) -> Any:
        """The gradients, without their values; empty where one is not wanted."""
        *values, wants = args[len(operator.results) :]
        arguments = dict(zip((a.name for a in operator.arguments), values, strict=True))
        tensors = [arguments[name] for name in operator.differentiable]
        found = [
            torch.empty(0) if tensor is None else tensor.new_empty(tensor.shape if is_wanted else 0)
            for tensor, is_wanted in zip(tensors, wants, strict=True)
        ]
        return found[0] if len(found) == 1 else tuple(found)

    def again(ctx: Any, *grads: Tensor) -> Any:
        raise NotImplementedError(
            f"the gradients of {operator} cannot be differentiated again: its backward kernel has "
            "no derivative"
        )

    torch.library.register_fake(name, fake)
    torch.library.register_autograd(name, again)


def by_kernel(operator: Operator, ctx: Any, grads: Sequence[Tensor]) -> list[Tensor | None]:
    """The gradients that the kernel computes, one an argument; None where it computes none, or none is
    wanted. The arguments were saved first.
    """
    names = [argument.name for argument in operator.arguments]
    values = saved(ctx)[: len(names)]
    # The dispatcher says nothing of defaults that were left out.
    wanted = [name for name, wants in zip(names, ctx.needs_input_grad, strict=False) if wants]
    wants = [name in wanted for name in operator.differentiable]
    if not any(wants):
        return [None for _ in names]
    if not operator.is_native and torch.is_grad_enabled():  # to be differentiated again
        asked = [name for name in operator.differentiable if name in wanted]
        arguments = dict(zip(names, values, strict=True))
        by_name = composed.vjp(operator.kernel, grads, arguments, asked, create_graph=True)
        return [by_name.get(name) for name in names]
    found = getattr(torch.ops, operator.namespace)
    found = getattr(found, f"{operator.short_name}_backward").default(*grads, *values, wants)
    found = [found] if isinstance(found, Tensor) else found
    pairs = zip(operator.differentiable, found, wants, strict=True)
    given = {name: each for name, each, is_wanted in pairs if is_wanted}
    return [given.get(name) for name in names]
