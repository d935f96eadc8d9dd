"""A file that fails for other sizes → the conditions of which these take another side than it."""

from __future__ import annotations

from ...trial import places
from ...trial.places import Place
from ..report.cause import Cause, join_sentences
from ..report.failed_export import FailedExport
from ..source.rewrites import without_condition
from . import taken_sides

_ONE_SIDE = (
    "Write one side that serves all sizes, as one that pads, or export a file for the sizes of each "
    "side"
)


def cause(failed: FailedExport) -> Cause | None:
    """Return the conditions of which the sizes at which a file fails take another side than those
    of its export, with what to change.
    """
    report, outcome = failed.report, failed.outcome
    if not outcome.is_of_unexplained_sizes or not outcome.inputs:
        return None
    exported = report.target.dynamic("TorchScript")
    conditions = [
        place for place, why in report.traced.constants.items() if taken_sides.BRANCH in why
    ]
    if exported is None or not conditions:
        return None
    taken = taken_sides.taken_differently(exported, conditions, [outcome.inputs])
    if not taken:
        return None
    return Cause(
        ". ".join(_sentence_on(place, inputs) for place, inputs in taken.items()),
        tuple(taken),
        join_sentences(without_condition(place) or _ONE_SIDE for place in taken),
        is_kept=True,
    )


def _sentence_on(place: Place, inputs: str) -> str:
    """Return the condition of which the file has one side, and ``inputs`` take the other one."""
    code = places.in_sentence(places.code_of(place.file, place.line))
    side = f"the file has one side of the condition at {place}: {code}"
    return f"{side}; the other is taken for {inputs}"
