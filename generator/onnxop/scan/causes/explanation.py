"""A report of a model that fails → the causes of its failures, and notes on them."""

from __future__ import annotations

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


def note_of_failure(report: Report, export: Export, outcome: Outcome) -> Note | None:
    """Return a note on why the model fails in an export, or None if another note or a finding has
    it. What is sure comes first: conditions of which other inputs take another side, the cause that
    scan knows, conditions that the file has one side of, and last where to look.
    """
    has_other_note = outcome.cause == "model" or export.exporter in report.untaken
    if has_other_note:
        return None
    if one_side.is_decisive(report, export, outcome):
        # Several causes, one a condition, so that the note has no single one.
        texts = map(str, one_side.causes_of_conditions(report))
        return Note(f"{export}: {'. '.join(texts)}.", (export,))
    known = report.causes.get(export)
    if known is not None:
        return _note(export, known)
    if one_side.is_cause(report, export, outcome):
        return _note(export, one_side.cause_of_all(report))
    if report.has_finding(export):
        return None
    return _note(export, where_to_look.cause(report, export, outcome))


def _note(export: Export, cause: Cause) -> Note:
    return Note(f"{export}: {str(cause).rstrip('.')}.", (export,), cause=cause)
