"""Settings of PyTorch during a call: its number of threads, and what new memory holds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def unwritten_is_nan() -> Iterator[None]:
    """Fill new memory with NaN, or the largest integer, so that unwritten elements are found."""
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        yield
    finally:
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
