"""A file that fails for further inputs → the conditions on data of which it has one side."""

from __future__ import annotations

from ...trial import places
from ..report.cause import Cause, join_sentences
from ..report.failed_export import FailedExport
from ..report.report import Report
from ..source.rewrites import BOTH_SIDES, rewrite_of
from . import wording
from .kept_sides import is_of_data
from .taken_sides import BRANCH


def may_be_cause(failed: FailedExport) -> bool:
    """Return whether a file fails for further inputs alone, and has one side of conditions on
    data.
    """
    report, outcome = failed.report, failed.outcome
    if outcome.fault == "branch":
        return True
    if failed.export.exporter != "TorchScript" or not outcome.fails_for_others:
        return False
    constants = report.traced.constants
    has_condition = any(BRANCH in constants.get(at, "") for at in report.kept.places)
    return has_condition and is_of_data(report.tracer_refusals.get("dynamo"))


def explain(failed: FailedExport) -> bool:
    """Return whether one side of conditions is what a report tells as the cause of a failure: other
    inputs take the other side, or no other cause is known.
    """
    report = failed.report
    is_likely = bool(report.kept.other_sides) or failed.export not in report.causes
    return is_likely and may_be_cause(failed)


def causes(report: Report) -> list[Cause]:
    """Return a cause for each condition of which other inputs take another side than the one in the
    file; or if no inputs tell which condition is the cause, one for all of them.
    """
    other_sides = report.kept.other_sides
    if not other_sides:
        return [_cause_of_all(report)]
    return [_cause_of_condition(place, inputs) for place, inputs in other_sides.items()]


def _cause_of_condition(place: places.Place, inputs: str) -> Cause:
    code = places.in_sentence(places.code_of(place.file, place.line))
    fact = (
        f"torch.jit.trace keeps one side of the condition at {place}: {code}; the other is taken "
        f"for {inputs}"
    )
    return Cause(fact, (place,), rewrite_of(place) or BOTH_SIDES, is_kept=True)


def _cause_of_all(report: Report) -> Cause:
    at = report.kept.places
    advice = next(filter(None, map(rewrite_of, at)), BOTH_SIDES)
    or_else = (
        "Or, if the model never gets such inputs, let the function return several sets of inputs"
    )
    fact = f"torch.jit.trace keeps {wording.kept(at)}"
    return Cause(fact, at, join_sentences((advice, or_else)), is_kept=True)
