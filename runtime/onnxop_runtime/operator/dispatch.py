"""Kernels in Python, by the keys of PyTorch's dispatcher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..torch_internals import keys_after_autograd, leave_uncompiled

_LIBRARIES: list[Any] = []  # PyTorch forgets what a collected one registered
_Library: Any = torch.library.Library  # untyped in torch


def implement(
    overload: Any, kernel: Callable[..., Any], key: str, *, with_keyset: bool = False
) -> None:
    """Register a kernel of an operator for a key, in place of what an earlier import registered.

    ``with_keyset``: the kernel is handed the keys of the call before its arguments.
    """
    library = _Library(overload.namespace, "FRAGMENT")
    leave_uncompiled(kernel)
    library.impl(overload, kernel, key, with_keyset=with_keyset, allow_override=True)
    _LIBRARIES.append(library)


def implement_fake(name: str, fake: Callable[..., Any]) -> None:
    """Register what computes an operator's results without values."""
    leave_uncompiled(fake)
    torch.library.register_fake(name, fake, allow_override=True)


def redispatch(operator: Any, keyset: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call what computes an operator below autograd."""
    return operator.redispatch(keyset & keys_after_autograd, *args, **kwargs)
