"""Lines of which a trace keeps what Python reads there → sentences on them."""

from __future__ import annotations

from collections.abc import Iterable

from onnxop_runtime.messages import join_words

from ...trial.places import Place
from ..source.rewrites import reads_number
from ..source.shown_lines import MOST_LINES, some_lines


def kept(places: Iterable[Place]) -> str:
    """Return the conditions of which a trace keeps one side, and the numbers that it keeps, as
    text.
    """
    return join_words(_kept_lines_after(places, "one side of the", "the"))


def kept_otherwise(places: Iterable[Place]) -> str:
    """Return what other inputs do for which a trace would keep something else, as text."""
    return " or ".join(_kept_lines_after(places, "reach another side of the", "change the"))


def _kept_lines_after(places: Iterable[Place], of_condition: str, of_number: str) -> list[str]:
    """Return the lines of kept conditions, and those of kept numbers, each after such words."""
    by_kind: dict[str, list[Place]] = {}
    within: list[Place] = []
    for place in places:
        kind = "number" if reads_number(place) else "condition"
        (within if place.within else by_kind.setdefault(kind, [])).append(place)
    texts = {"condition": of_condition, "number": of_number}
    told = [
        f"{text} {kind if len(by_kind[kind]) == 1 else f'{kind}s'} at {some_lines(by_kind[kind])}"
        for kind, text in texts.items()
        if kind in by_kind
    ]
    verb = of_number.removesuffix("the").strip()
    return [*told, *(f"{verb} {_asked_within(place)}".strip() for place in within[:MOST_LINES])]


def _asked_within(place: Place) -> str:
    """Return what PyTorch itself asks for in the call at a line, as text."""
    assert place.within is not None
    return f"what PyTorch itself asks for in the call at {place}{place.within.depends}"
