"""Names of values in a model."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, count


def unused_name(name: str, used: Collection[str | None]) -> str:
    """Return the name, with a number appended if it is used."""
    with_numbers = (f"{name}_{number}" for number in count(1))
    return next(n for n in chain([name], with_numbers) if n not in used)
