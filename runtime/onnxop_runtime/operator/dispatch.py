"""Kernels in Python, by the keys of PyTorch's dispatcher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..torch_internals import keys_after_autograd, schema_of
from .description import argument_of
from .lists import Lengths, lengths_of

_LIBRARIES: list[Any] = []  # PyTorch forgets what a collected one registered
_Library: Any = torch.library.Library  # untyped in torch


def implement(
    overload: Any, kernel: Callable[..., Any], *keys: str, with_keyset: bool = False
) -> None:
    """Registers a kernel of an operator for keys, in place of what an earlier import registered.

    ``with_keyset``: the kernel is handed the keys of the call before its arguments.
    """
    library = _Library(overload.namespace, "FRAGMENT")
    for key in keys:
        library.impl(overload, kernel, key, with_keyset=with_keyset, allow_override=True)
    _LIBRARIES.append(library)


class Schema:
    """An operator's arguments."""

    def __init__(self, operator: Any) -> None:
        arguments = [argument_of(argument) for argument in schema_of(operator).arguments]
        self._arguments = arguments
        self.operator: str = schema_of(operator).name
        self.names = [argument.name for argument in arguments]
        self._defaults = [argument.default for argument in arguments]
        self._positional = sum(not argument.keyword_only for argument in arguments)

    def values(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """All of them: the dispatcher leaves out what equals its default."""
        left = zip(self.names[len(args) :], self._defaults[len(args) :], strict=True)
        return [*args, *(kwargs.get(name, default) for name, default in left)]

    def lengths(self, values: Sequence[Any]) -> Lengths:
        """Those of the lists of tensors among all of them."""
        return lengths_of(self._arguments, values)

    def refusal(self, name: str, asked: str) -> NotImplementedError:
        """What asking for a derivative raises that the spec says there is none of."""
        return NotImplementedError(
            f"{self.operator}: {name} is non_differentiable in the spec, but {asked}; "
            "detach it, or give a formula in [autograd]"
        )

    def split(self, values: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """As the operator takes them: by position, and by keyword."""
        named = zip(self.names[self._positional :], values[self._positional :], strict=True)
        return values[: self._positional], dict(named)


def redispatch(operator: Any, keyset: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    return operator.redispatch(keyset & keys_after_autograd, *args, **kwargs)
