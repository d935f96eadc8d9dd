"""Kernels in Python, by the keys of PyTorch's dispatcher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..torch_internals import keys_after_autograd, schema_of
from .arguments import Argument, Signature

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


class Schema(Signature):
    """An operator's arguments."""

    def __init__(self, operator: Any) -> None:
        schema = schema_of(operator)
        super().__init__([*map(Argument.of, schema.arguments)])
        self.operator: str = schema.name

    def refusal(self, name: str, asked: str) -> NotImplementedError:
        """What asking for a derivative raises that the spec says there is none of."""
        return NotImplementedError(
            f"{self.operator}: {name} is non_differentiable in the spec, but {asked}; "
            "detach it, or give a formula in [autograd]"
        )


def redispatch(operator: Any, keyset: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    return operator.redispatch(keyset & keys_after_autograd, *args, **kwargs)
