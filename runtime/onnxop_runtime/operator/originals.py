"""Threads in which functions that `replaced` has operators for are called themselves.

The code of a package, such as its reference implementation, may call such a function: in its place,
the operator would call itself.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class _Blocks(threading.local):
    """The number of blocks of `restored` that a thread is in."""

    count = 0


_blocks = _Blocks()


def are_restored() -> bool:
    """Return whether this thread calls the originals."""
    return _blocks.count > 0


@contextmanager
def restored() -> Iterator[None]:
    """Have this thread call the originals in the block, not what is in their place."""
    _blocks.count += 1
    try:
        yield
    finally:
        _blocks.count -= 1


def calling(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a function that calls the originals as long as it runs."""

    @functools.wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        _blocks.count += 1
        try:
            return function(*args, **kwargs)
        finally:
            _blocks.count -= 1

    return call
