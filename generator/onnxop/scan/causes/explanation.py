"""A report of a model that fails → the causes of its failures, and notes on them."""

from __future__ import annotations

from collections.abc import Iterator

from ...trial.outcome import Outcome
from ..model.exports import Export
from ..report.cause import Cause, Note
from ..report.report import Report
from . import (
    decisive,
    model_notes,
    one_side,
    quantised,
    quotients,
    stopped_traces,
    where_to_look,
)


def notes_of_model(report: Report) -> list[Note]:
    """Return notes on exporters that see no calls, and on the model as a whole."""
    wanted = {export.exporter for export in report.whole}
    stopped = {name: error for name, error in report.untaken.items() if name in wanted}
    in_training = [] if report.target is None else report.target.kinds_in_training
    return [
        *(stopped_traces.note(report, exporter, error) for exporter, error in stopped.items()),
        *model_notes.of_export_only(report),
        *quotients.notes(report),
        *model_notes.of_training(report, in_training),
        *model_notes.of_inexact(report),
    ]


def cause(report: Report, export: Export, outcome: Outcome) -> Cause | None:
    """Return the cause of a failure that is no single call's, or None if scan does not know it."""
    if export.exporter not in report.untaken:
        return decisive.cause(report, export, outcome)
    is_packed = quantised.PACKED.search(outcome.why)
    return quantised.cause(outcome) if is_packed else None


def notes_of_cause(report: Report, export: Export, outcome: Outcome) -> Iterator[Note]:
    """Yield a note on the cause if the model fails in an export, and no finding has it: a node that
    no library has, random numbers, or else where to look.
    """
    if outcome.cause == "model" or export.exporter in report.untaken:
        return
    known = report.causes.get(export)
    has_one_side = one_side.is_cause(report, export, outcome)
    if has_one_side and report.kept.other_sides:
        texts = map(str, one_side.decisive(report))
        yield Note(f"{export}: {'. '.join(texts)}.", (export,))
    elif known is not None:
        yield _note(export, known)
    elif has_one_side:
        yield _note(export, one_side.undecided(report))
    elif not report.has_finding(export):
        yield _note(export, where_to_look.cause(report, export, outcome))


def _note(export: Export, cause: Cause) -> Note:
    return Note(f"{export}: {str(cause).rstrip('.')}.", (export,), cause=cause)
