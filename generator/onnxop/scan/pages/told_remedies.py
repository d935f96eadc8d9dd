"""A finding → its remedies, but for an exporter that does not take the whole model."""

from __future__ import annotations

from dataclasses import replace

from onnxop_runtime.messages import join_words

from ..model.exports import Export
from ..remedies import specs_on_model
from ..report.findings import Finding, Remedy
from ..report.report import Report

_MOST_LINES = 3


def of_finding(report: Report, finding: Finding) -> list[Remedy]:
    """Return the remedies of a finding. That the other exporter has the call right is none where the
    model fails there, unless other calls alone are why: then once it passes their lines.
    """
    told = (_told(report, finding, remedy) for remedy in finding.remedies)
    return [*filter(None, told)]


def _told(report: Report, finding: Finding, remedy: Remedy) -> Remedy | None:
    if remedy.kind != "exporter":
        return remedy
    exports = [export.other for export in finding.outcomes if remedy.is_for(export)]
    if any(_is_right_or_may_be(report, export) for export in exports):
        return remedy
    lines = dict.fromkeys(line for e in exports for line in _lines_of_other_calls(report, e))
    if not lines:
        return None
    return replace(remedy, text=f"{remedy.text}, once it passes {join_words(lines)}")


def _is_right_or_may_be(report: Report, export: Export) -> bool:
    """Return whether the model is right in an export, or may be with specs, or once its trace passes
    the line that the remedy names.
    """
    if export not in report.whole or export.exporter in report.tracer_refusals:
        return True
    if export in report.with_specs:
        return report.with_specs[export].is_right
    return specs_on_model.may_be_right(report, export)


def _lines_of_other_calls(report: Report, export: Export) -> list[str]:
    """Return the lines of the calls that block the model in an export; none if something else does,
    too.
    """
    blocking = report.blocking_calls(export)
    if export in report.causes or not all(finding.places for finding in blocking):
        return []
    return [*dict.fromkeys(str(finding.places[0]) for finding in blocking)][:_MOST_LINES]
