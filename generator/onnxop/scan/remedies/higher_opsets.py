"""Calls that fail at the requested opset → the lowest higher one of the same exporter at which they
pass, and the whole model there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...trial import trial
from ...trial.outcome import Outcome
from ..attempts import single_calls
from ..attempts.single_calls import Attempt
from ..model.exports import Export, Progress
from ..report.findings import Finding, Remedy
from ..report.report import Report
from .remedy_search import RemedySearch

_LABEL = "higher opsets"
_Failed = tuple[Finding, Export]  # a call, and an export in which it fails


def of_calls(report: Report, progress: Progress) -> Iterator[tuple[Finding, Remedy]]:
    """Yield the lowest higher opset of the same exporter at which each call passes. Where the
    highest opset changes nothing, none between does.
    """
    attempts = dict(_at_highest(report))
    candidates: list[_Failed] = []
    for attempt, outcome in single_calls.try_each([*attempts], progress, _LABEL):
        finding, export = attempts[attempt]
        if not _is_equal(outcome, finding.outcomes[export]):
            candidates.append((finding, export))
    lowest: dict[_Failed, int] = {}
    between = {attempt: failed for failed in candidates for attempt in _from_next(*failed)}
    for attempt in single_calls.passing_attempts(between, progress, _LABEL):
        failed, opset = between[attempt], attempt.export.opset
        lowest[failed] = min(opset, lowest.get(failed, opset))
    for (finding, export), opset in lowest.items():
        text = f"opset {opset} of the {export.exporter} exporter"
        yield finding, Remedy("opset", text, (str(export),), opset)


def _at_highest(report: Report) -> Iterator[tuple[Attempt, _Failed]]:
    """Yield an attempt at the exporter's highest opset of each call that fails, for which an opset
    may be a remedy: not where the trace stops, nor where no opset has a rule.
    """
    for finding in report.findings:
        for export, outcome in finding.outcomes.items():
            highest = trial.EXPORTERS[export.exporter].stop - 1
            is_stopped_in_trace = report.is_stopped(export) or outcome.is_of_tracer
            if is_stopped_in_trace or outcome.has_no_rule or export.opset >= highest:
                continue
            yield Attempt(finding.call, replace(export, opset=highest)), (finding, export)


def _from_next(finding: Finding, export: Export) -> Iterator[Attempt]:
    """Yield an attempt of a call at each higher opset."""
    for opset in range(export.opset + 1, trial.EXPORTERS[export.exporter].stop):
        yield Attempt(finding.call, replace(export, opset=opset))


def _is_equal(outcome: Outcome, other: Outcome) -> bool:
    return (outcome.kind, outcome.why) == (other.kind, other.why)


def of_model(search: RemedySearch) -> Iterator[tuple[Export, Outcome]]:
    """Try the model at the lowest opset at which each of its calls passes, if no requested export
    is right; yield the outcome of one that is.
    """
    report = search.report
    if report.right_exports:
        return
    for export in [*report.whole]:
        opset = _lowest_of_all(report, export)
        if not opset:
            continue
        higher = replace(export, opset=opset)
        outcome = search.try_model([higher], trial.STOCK)[higher]
        if outcome.is_right:
            yield higher, outcome


def _lowest_of_all(report: Report, export: Export) -> int:
    """Return the lowest opset at which each call passes that fails in an export; 0 if there is
    none.
    """
    lowest = [finding.opset_for(export) for finding in report.findings_in(export)]
    return max(lowest) if lowest and all(lowest) else 0
