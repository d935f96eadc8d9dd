"""A report of a model that fails → notes on the model, and on each of its failures."""

from __future__ import annotations

from ..model.exports import Export
from ..one_side import data_conditions
from ..report.cause import Cause, Note, join_sentences
from ..report.failed_export import FailedExport
from ..report.report import Report
from . import model_notes, quotients, stopped_traces, where_to_look


def of_model(report: Report) -> list[Note]:
    """Return notes on exporters that see no calls, and on the model as a whole."""
    wanted = {export.exporter for export in report.whole}
    stopped = {name: error for name, error in report.tracer_refusals.items() if name in wanted}
    return [
        *(stopped_traces.note(report, exporter, error) for exporter, error in stopped.items()),
        *model_notes.of_export_only(report),
        *quotients.notes(report),
        *model_notes.of_training(report, report.target.kinds_in_training),
        *model_notes.of_inexact(report),
        *model_notes.of_numbers(report),
    ]


def of_failure(failed: FailedExport) -> Note | None:
    """Return a note on why the model fails in an export, or None if another note or a finding has
    it: the conditions of which the file has one side, or the cause that scan knows, or where to
    look.
    """
    report, export = failed.report, failed.export
    has_other_note = failed.outcome.is_of_model or export.exporter in report.tracer_refusals
    if has_other_note:
        return None
    if data_conditions.explain(failed):
        return _note(export, data_conditions.causes(report))
    cause = report.causes.get(export)
    if cause is not None:
        return _note(export, [cause])
    if report.findings_in(export):
        return None
    return _note(export, [where_to_look.cause(failed)])


def _note(export: Export, causes: list[Cause]) -> Note:
    """Return a note that tells these causes; it has the only one as data."""
    text = f"{export}: {join_sentences(map(str, causes))}"
    return Note(text, (export,), cause=causes[0] if len(causes) == 1 else None)
