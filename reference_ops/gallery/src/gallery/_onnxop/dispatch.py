"""Kernels in Python, by the keys of PyTorch's dispatcher."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

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
