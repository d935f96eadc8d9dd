"""The wording of messages: the name that was meant, values cut to a width, and lists of names."""

from __future__ import annotations

import difflib
import os.path
from collections.abc import Iterable, Sequence
from datetime import date, time


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most similar to a misspelt one; empty if none is similar."""
    by_lower = {candidate.lower(): candidate for candidate in sorted(known, reverse=True)}
    near = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.65)
    if not near:
        return ""
    # Prefer the longest common beginning: Add for Ad, not Pad.
    return by_lower[max(near, key=lambda other: len(os.path.commonprefix([other, name.lower()])))]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean x?"``, or ``""`` if no known name is similar."""
    near = nearest(name, known)
    return f"; did you mean {near}?" if near else ""


def shown(value: object, width: int = 60) -> str:
    """Return the value's repr, or a date as TOML writes it, cut to the width."""
    try:
        text = str(value) if isinstance(value, date | time) else repr(value)
    except ValueError:
        text = "a value of too many digits"
    except Exception:  # noqa: BLE001 - of the user's __repr__
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= width else f"{text[: width - 3]}..."


def some(names: Sequence[str], most: int = 5) -> str:
    """Return ``"a, b, c, d, e and 295 more"``."""
    rest = len(names) - most
    return join_words([*names[:most], f"{rest} more"] if rest > 1 else names)


def join_words(names: Iterable[str], last: str = "and") -> str:
    """Return ``"a, b and c"``."""
    items = list(names)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"
