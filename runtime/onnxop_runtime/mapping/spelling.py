"""A word that nobody knows → the known one that was meant."""

from __future__ import annotations

import difflib
import os.path
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean x?``, or nothing where no known word is near."""
    by_lower = {candidate.lower(): candidate for candidate in sorted(known, reverse=True)}
    near = difflib.get_close_matches(word.lower(), sorted(by_lower), n=8, cutoff=0.6)
    near = [candidate for candidate in near if _is_near(word.lower(), candidate)]
    if not near:
        return ""

    def likeness(candidate: str) -> tuple[float, int]:
        shared = len(os.path.commonprefix([candidate, word.lower()]))
        return difflib.SequenceMatcher(None, word.lower(), candidate).ratio(), shared

    return f"did you mean {by_lower[max(near, key=likeness)]}?"


def _is_near(word: str, known: str) -> bool:
    """Return whether a slip of the hand makes one of the other: a few letters wrong, fewer than half, or
    one the beginning of the other.
    """
    if min(len(word), len(known)) > 2 and (word.startswith(known) or known.startswith(word)):
        return True
    previous, row = [0] * (len(known) + 1), list(range(len(known) + 1))
    for i, letter in enumerate(word, 1):
        before, previous, row = previous, row, [i]
        for j, other in enumerate(known, 1):
            steps = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (letter != other))
            is_swap = i > 1 and j > 1 and letter == known[j - 2] and word[i - 2] == other
            row.append(min(steps, before[j - 2] + 1) if is_swap else steps)
    longer = max(len(word), len(known))
    return row[-1] <= max(1, min(len(word) // 2, (longer - 1) // 2, 3))
