"""A finding → its remedies, but for an exporter that does not take the whole model."""

from __future__ import annotations

from ..model.exports import Export
from ..remedies import specs_on_model
from ..report.findings import Finding, Remedy
from ..report.report import Report


def of_finding(report: Report, finding: Finding) -> list[Remedy]:
    """Return the remedies of a finding. That the other exporter has the call right is no remedy
    where the model fails there for another reason.
    """
    return [
        remedy
        for remedy in finding.remedies
        if remedy.kind != "exporter" or _takes_the_model(report, finding, remedy)
    ]


def _takes_the_model(report: Report, finding: Finding, remedy: Remedy) -> bool:
    exports = [export.other for export in finding.outcomes if remedy.is_for(export)]
    return any(_is_right_or_may_be(report, export) for export in exports)


def _is_right_or_may_be(report: Report, export: Export) -> bool:
    """Return whether the model is right in an export, or may be with specs, or once its trace passes
    the line that the remedy names.
    """
    if export not in report.whole or export.exporter in report.tracer_refusals:
        return True
    with_specs = report.with_specs.get(export, report.whole[export])
    was_tried = export in report.with_specs
    return with_specs.is_right or (not was_tried and specs_on_model.may_be_right(report, export))
