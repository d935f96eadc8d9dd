"""Groups of calls -> one sequence, in which none waits for another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from ..calls.call import DrawnCall


def in_turn(*groups: Iterable[DrawnCall]) -> Iterator[DrawnCall]:
    """Yield the first call of each group, then the second of each, and so on."""
    for turn in zip_longest(*groups):
        yield from (drawn for drawn in turn if drawn is not None)
