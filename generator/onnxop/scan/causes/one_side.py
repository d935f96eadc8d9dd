"""A file that fails for further inputs → the conditions on data of which it has one side."""

from __future__ import annotations

from ...trial import places
from ...trial.outcome import Outcome
from ..calls.kept_sides import is_of_data
from ..model.exports import Export
from ..report.cause import Cause
from ..report.report import Report
from ..source import kept_lines, sides
from ..source.rewrites import BOTH_SIDES, rewrite_of


def is_cause(report: Report, export: Export, outcome: Outcome) -> bool:
    """Return whether a file fails for further inputs alone, and has one side of conditions on data."""
    if outcome.cause == "branch":
        return True
    if outcome.kind != "first" or export.exporter != "TorchScript":
        return False
    constants = report.traced.constants
    has_condition = any(sides.BRANCH in constants.get(at, "") for at in report.kept.places)
    return has_condition and is_of_data(report.untaken.get("dynamo"))


def is_decisive(report: Report, export: Export, outcome: Outcome) -> bool:
    """Return whether a condition is the cause of a failure, of which other inputs take the other
    side.
    """
    return bool(report.kept.other_sides) and is_cause(report, export, outcome)


def causes_of_conditions(report: Report) -> list[Cause]:
    """Return a cause for each condition of which other inputs take another side than the one in the
    file, with what to change.
    """
    causes: list[Cause] = []
    for place, inputs in report.kept.other_sides.items():
        code = places.in_sentence(places.code_of(place.file, place.line))
        fact = (
            f"torch.jit.trace keeps one side of the condition at {place}: {code}; the other is "
            f"taken for {inputs}"
        )
        causes.append(Cause(fact, (place,), rewrite_of(place) or BOTH_SIDES, is_kept=True))
    return causes


def cause_of_all(report: Report) -> Cause:
    """Return all that the file has one side of, where no inputs tell which condition is the cause."""
    at = report.kept.places
    advice = next(filter(None, map(rewrite_of, at)), BOTH_SIDES)
    or_else = (
        "Or, if the model never gets such inputs, let the function return several sets of inputs"
    )
    return Cause(f"the file has {kept_lines.kept(at)}", at, f"{advice}. {or_else}", is_kept=True)
