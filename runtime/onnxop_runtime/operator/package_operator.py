"""An operator as its package's modules call it: ``OP``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from . import autograd, dispatch
from .lists import save, saved
from .model import Operator


class PackageOperator(Operator):
    """The description of an operator, and what the functions of its module call."""

    def by_position(self, *values: object) -> Any:
        """Call the operator with all arguments by position, keyword-only ones included."""
        if len(values) != len(self.arguments):
            names = ", ".join(argument.name for argument in self.arguments)
            raise TypeError(f"{self} takes all of {names} by position, but {len(values)} are given")
        numbers = [
            as_number(value) if argument.base_type == "number" else value
            for argument, value in zip(self.arguments, values, strict=True)
        ]
        args, kwargs = self.signature.split(numbers)
        return dispatch.call(self, args, kwargs)

    def save(self, ctx: object, *values: object) -> None:
        """Save values for the backward pass, tensors or not; `saved` returns them."""
        save(ctx, values)

    def saved(self, ctx: object) -> list[Any]:
        """Return the values that `save` saved."""
        return saved(ctx)

    def gradients(self, ctx: object, grads: Sequence[Tensor]) -> list[Any]:
        """Return a gradient for each argument, or None; the arguments were saved first."""
        return autograd.computed(self, ctx, grads)

    def missing(self, argument: str, *, is_integer: bool = False) -> NotImplementedError:
        """Return the error for a gradient that the spec does not define. ``is_integer``: because
        the argument is an integer in every sample.
        """
        if is_integer:
            fact = f"{argument} has no gradient, because it is an integer in every sample"
            return NotImplementedError(
                f"{self}: {fact} of the spec; detach it, or add a sample of floats"
            )
        return NotImplementedError(
            f"{self}: the gradient of {argument} has no formula; add one to [autograd] in its spec"
        )


def as_number(value: object) -> Any:
    """Return a boolean as an integer: TorchScript has no boolean Scalars."""
    return int(value) if isinstance(value, bool) else value
