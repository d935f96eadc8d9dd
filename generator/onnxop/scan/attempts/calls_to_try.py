"""A model that fails → the calls that may be why, which are tried alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from ...trial.outcome import Outcome
from ...trial.places import Place
from ..calls.model_calls import TracedModel, calls_at_several_inputs, merge_calls
from ..calls.packed_sequences import IN_PAIRS, is_of_pairs
from ..calls.recorded_calls import RecordedCall
from ..model.exports import Export, Progress
from ..report.findings import Finding
from ..report.report import Report, SingleCalls
from . import single_calls
from .single_calls import Attempt


def single_calls_of(report: Report) -> tuple[SingleCalls, TracedModel]:
    """Return the calls at several inputs, of the exporters in which the model fails for these, and
    the outcomes of calls in the exports that have the model right; and the traced model, whose
    calls are the same objects.
    """
    at_several: dict[str, list[RecordedCall]] = {}
    stops: dict[str, Place] = {}
    for export in _exports_for_several_inputs(report):
        recorded, stop = calls_at_several_inputs(report.target, export.exporter)
        if stop is not None:
            stops[export.exporter] = stop
        if not recorded and report.whole[export].fault == "values":
            at_own_sizes = replace(report.target, sizes=())
            recorded, _ = calls_at_several_inputs(at_own_sizes, export.exporter)
        at_several[export.exporter] = recorded
    traced_calls, at_several = merge_calls(report.traced.calls, at_several)
    every = _each_once(at_several, traced_calls)
    passing = {(call, e): report.whole[e] for e in report.right_exports for call in every}
    return SingleCalls(passing, at_several, stops), replace(report.traced, calls=traced_calls)


def list_attempts(report: Report) -> list[Attempt]:
    """Return the calls to try alone, in the exports in which the model fails."""
    attempts: list[Attempt] = []
    for export, outcome in report.whole.items():
        if not (outcome.is_right or outcome.is_specialised or outcome.is_of_buffers):
            calls = report.calls_of(export)
            attempts += [Attempt(call, export) for call in calls if _can_try(call, export, outcome)]
    return attempts


def try_each_alone(
    report: Report, attempts: Sequence[Attempt], progress: Progress
) -> Iterator[tuple[Attempt, Outcome]]:
    """Yield each attempt with its outcome, those first of operators that an error of the whole
    model names. A call that an exporter refuses only alone is right.
    """
    named = {op for outcome in report.whole.values() for op, _ in outcome.named}
    written = [export for export, outcome in report.whole.items() if not outcome.is_refused]
    for attempt, outcome in single_calls.try_each(attempts, progress, "calls", named, written):
        whole = report.whole[attempt.export]
        # A model that runs other lines in exports has other calls in the file.
        is_in_file = not report.target.export_only
        is_refused_only_alone = is_in_file and _is_refused_only_alone(whole, outcome)
        yield attempt, Outcome("right") if is_refused_only_alone else outcome


def _is_refused_only_alone(whole: Outcome, alone: Outcome) -> bool:
    """Return whether an exporter refuses a call only alone: it writes the file of the whole model,
    by its rules for all operators there.
    """
    return alone.is_refused and whole.kind in ("values", "checker", "runtime")


def make_findings(report: Report) -> list[Finding]:
    """Return a finding for each call that fails alone in an export in which the model fails, those
    first of operators that an error of the whole model names.
    """
    failing: list[Finding] = []
    alone = report.alone.outcomes
    for call in _each_once(report.alone.at_several_inputs, report.traced.calls):
        outcomes = {e: alone[call, e] for e in report.whole if (call, e) in alone}
        wrong = {export: outcome for export, outcome in outcomes.items() if not outcome.is_right}
        has_no_rule = any(outcome.has_no_rule for outcome in wrong.values())
        if wrong and (has_no_rule or _has_values(call)):
            failing.append(Finding(call, wrong))
    named = {op for outcome in report.whole.values() for op, _ in outcome.named}
    return sorted(failing, key=lambda finding: finding.op not in named)


def _exports_for_several_inputs(report: Report) -> list[Export]:
    """Return the first export of each exporter in which the model fails, where its calls at other
    sizes and values may tell why.
    """
    first: dict[str, Export] = {}
    for export, outcome in report.whole.items():
        if _needs_several_inputs(report, export, outcome):
            first.setdefault(export.exporter, export)
    return [*first.values()]


def _needs_several_inputs(report: Report, export: Export, outcome: Outcome) -> bool:
    """Return whether the calls at other sizes and values may tell why the model fails in an export,
    or what else does once its first failure is mended.
    """
    if outcome.is_right or outcome.is_specialised or outcome.is_of_buffers:
        return False  # the lines of a size that is a constant are the cause, or buffers; no call
    if outcome.fails_for_others:
        return True
    is_traced = not outcome.is_refused or export.exporter not in report.traced.errors
    has_others = bool(report.target.sizes or report.target.values)
    return has_others and is_traced and not report.right_exports


def _can_try(call: RecordedCall, export: Export, outcome: Outcome) -> bool:
    """Return whether a call of a model with this outcome has a file alone."""
    if not call.can_be_fed:
        return False
    lacks_one_of_pair = IN_PAIRS in outcome.why  # in the whole model, which is worth to be told
    return lacks_one_of_pair or export.exporter != "TorchScript" or not is_of_pairs(call)


def _each_once(*by_exporter: Mapping[str, Sequence[RecordedCall]]) -> list[RecordedCall]:
    """Return the calls that were recorded, each once."""
    recorded = chain(*(calls for each in by_exporter for calls in each.values()))
    return list(dict.fromkeys(recorded))


def _has_values(call: RecordedCall) -> bool:
    """Return whether the call has results to compare. PyTorch may not take it alone, as one within a
    step of torch's ``scan``.
    """
    try:
        return any(tensor.numel() for tensor in call.as_model_call().results())
    except Exception:  # noqa: BLE001 - of any operator
        return False
