"""A model → every op of it that does not export right, and the shortest way out for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from ..trial import forks, trial
from ..trial.call import Call
from ..trial.outcome import Outcome
from . import alone, calls, notes, traces
from .calls import Recorded
from .report import TAKES, Export, Finding, Progress, Report
from .target import Target, check_runs

_SECONDS = 1800.0  # for the whole model


def exports(exporters: Sequence[str], opsets: Sequence[int]) -> tuple[list[Export], list[str]]:
    """The exports that there can be of these, and a note for each that there cannot."""
    found, left_out = [], []
    for exporter in exporters:
        span = trial.EXPORTERS[exporter]
        for opset in dict.fromkeys(opsets):
            if opset in span:
                found.append(Export(exporter, opset))
            else:
                left_out.append(
                    f"The {exporter} exporter writes opsets {span.start} to {span.stop - 1}, not "
                    f"{opset}: left out."
                )
    return found, left_out


def scan(target: Target, wanted: Sequence[Export], progress: Progress) -> Report:
    """Tries every call of the model alone, and then the model, in each export."""
    report = Report(target.name)
    progress("the exporters are being imported")
    trial.ready()
    progress("the model runs")
    check_runs(target)
    seen, failed = _seen(target, {export.exporter for export in wanted}, progress)
    findings: dict[Recorded, Finding] = {}
    asked = {export: seen.get(export.exporter, []) for export in wanted}
    report.tried = {export: len(recorded) for export, recorded in asked.items()}
    for export, call, outcome in alone.unlike(asked, progress):
        if outcome.is_right:
            report.loose.setdefault(export, []).append((call, outcome))
        else:
            findings.setdefault(call, Finding(call)).outcomes[export] = outcome
    report.calls = list(dict.fromkeys(call for calls in seen.values() for call in calls))
    report.findings = [findings[call] for call in report.calls if call in findings]
    for finding in report.findings:
        finding.outcomes = {e: finding.outcomes[e] for e in wanted if e in finding.outcomes}
    report.whole = whole(target, wanted, progress)
    notes.note_untaken(report, failed)
    notes.note_empty(report)
    notes.note_training(report, target.kinds_in_training)
    for export, outcome in report.whole.items():
        if outcome.is_right_here:
            notes.leave_out(report, export)
        elif export.exporter not in report.untaken and report.tried[export]:
            report.notes += notes.unlike_alone(report, {export: outcome})
    report.notes += notes.frozen(report.whole)
    return report


def whole(
    target: Target,
    wanted: Sequence[Export],
    progress: Progress,
    rules: trial.Rules = trial.STOCK,
) -> dict[Export, Outcome]:
    """Try the model in each export."""
    works = [partial(_whole, target, export, rules) for export in wanted]
    found: dict[Export, Outcome] = {}
    progress(f"the whole model: {', '.join(map(str, wanted))}")
    for place, outcome in trial.outcomes(works, seconds=_SECONDS):
        found[wanted[place]] = outcome
        progress(f"the whole model: {wanted[place]} is done")
    return {export: found[export] for export in wanted}


def _seen(
    target: Target, exporters: Iterable[str], progress: Progress
) -> tuple[dict[str, list[Recorded]], dict[str, Exception]]:
    """The calls that each exporter sees; where one cannot be told, of those of the other one of each
    kind, and what was raised.
    """
    recorders = {"dynamo": calls.exported, "TorchScript": traces.traced}
    if target.is_program:  # of which the exported graph alone knows the user's lines
        recorders["TorchScript"] = calls.exported
    found: dict[str, list[Recorded]] = {}
    failed: dict[str, Exception] = {}
    for exporter in trial.EXPORTERS:
        progress(f"{TAKES[exporter]} takes the model")
        try:
            with forks.quiet():
                found[exporter] = recorders[exporter](target)
        except Exception as error:  # noqa: BLE001 - the user's model, and exporters, raise anything
            failed[exporter] = error
    instead = list({call.kind: call for call in reversed(next(iter(found.values()), []))}.values())
    instead.reverse()
    seen = {exporter: found.get(exporter, instead) for exporter in TAKES if exporter in exporters}
    return _joined(seen), failed


def _joined(found: dict[str, list[Recorded]]) -> dict[str, list[Recorded]]:
    """A call that both exporters see is one, so that what becomes of it stands together."""
    known: dict[tuple[str, str], Recorded] = {}
    joined: dict[str, list[Recorded]] = {}
    for exporter, recorded in found.items():
        kept = []
        for call in recorded:
            first = known.setdefault((str(call.overload), call.plain), call)
            first.use(call.used)
            kept.append(first)
        joined[exporter] = kept
    return joined


def _whole(target: Target, export: Export, rules: trial.Rules) -> Outcome:
    model = target.module if export.exporter == "TorchScript" else target.model
    call = Call(model, target.args, target.kwargs)
    return trial.tried(call, export.exporter, export.opset, rules)
