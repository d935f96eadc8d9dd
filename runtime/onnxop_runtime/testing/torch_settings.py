"""Settings of PyTorch during a call: its number of threads, and what new memory holds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

from ..operator.library import fill_new_memory


@contextlib.contextmanager
def unwritten_is_nan() -> Iterator[None]:
    """Fill new memory with NaN, or with one integer, so that unwritten elements are found: what
    PyTorch's operators make, and what kernels get.
    """
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    fill_new_memory(True)
    try:
        yield
    finally:
        fill_new_memory(False)
        torch.set_deterministic_debug_mode(before)


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """Set the number of PyTorch's threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
