"""Lines of a model → text that names them, the first few of many."""

from __future__ import annotations

from collections.abc import Sequence

from onnxop_runtime.messages import join_words

from ...trial.places import Place

MOST_LINES = 4  # in a sentence


def some_lines(lines: Sequence[Place]) -> str:
    """Return the lines as text, the first few of many."""
    shown = [str(place) for place in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(f"{len(lines) - MOST_LINES} more lines")
    return join_words(shown)
