"""A call that does not export → the remedies, each one tried."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...errors import OnnxopError
from ...find import gallery
from ...starter import own_functions
from ...starter.starter import Starter
from ...trial import trial
from .. import stopping
from ..attempts import single_calls
from ..attempts.single_calls import Attempt
from ..calls.own_functions import OwnFunctionCall
from ..causes import random_numbers, unknown_nodes
from ..causes.facts import FACTS
from ..model.exports import Export, Progress
from ..report.findings import READY_SPECS, Finding, Remedy, RemedyKind
from ..report.report import Report
from ..stopping import Stopped
from . import converted, higher_opsets, last_remedies, specs_on_model, starters, unsorted
from .remedy_search import RemedySearch, Specs, format_spec

_SPEC_OF_ORIGIN = {"gallery": "the gallery's spec", "own": "your spec"}
_KIND_OF_ORIGIN: Mapping[str, RemedyKind] = {"gallery": "gallery", "own": "own"}
"""By the origin of a spec that helps: the kind of remedy that it is, if that is no starter."""


def find_remedies(
    report: Report,
    own_specs: Mapping[str, Path],
    progress: Progress,
    requires: Sequence[str] = (),
) -> Specs:
    """Add the remedies to the findings, try the model with the specs that help, and return the
    specs. ``own_specs`` are the user's specs, by operator, which precede the gallery's.
    ``requires`` are modules that register operators. Findings of one cause become one.
    """
    search = RemedySearch(report, own_specs, progress, requires)
    if report.stopped:
        return search.specs
    try:
        _add_remedies(search)
    except Stopped as stopped:
        stopping.end()
        report.stopped = str(stopped)
    report.target, report.kept = search.target, search.kept
    report.findings = _merge_equal_findings(report.findings)
    return search.specs


def _add_remedies(search: RemedySearch) -> None:
    """Try each kind of remedy on the calls, the shortest first; then the specs that help on the
    whole model. This puts them into the report.
    """
    report = search.report
    _add_to_findings(higher_opsets.of_calls(report, search.progress))
    for export, outcome in higher_opsets.of_model(search):
        report.whole[export] = outcome
    _add_to_findings(_other_exporters(report, search.progress))
    _add_to_findings(converted.remedies(report, search.progress))
    _add_to_findings(unsorted.remedies(report, search.progress))
    search.keys = {finding: _spec_key(search, finding) for finding in report.findings}
    _add_to_findings(_helping_spec_remedies(search, _existing_specs(search)))
    _add_to_findings(_runtime_remedies(search))
    _write_starters(search)
    _add_to_findings(_helping_spec_remedies(search, search.starters))
    blocked = {export for export in report.whole if not specs_on_model.may_be_right(report, export)}
    for finding in report.findings:
        last = tuple(last_remedies.of_finding(search, finding, blocked))
        finding.remedies += last
        key = search.keys[finding]
        is_unfinished = any(remedy.kind == "unfinished" for remedy in last)
        if is_unfinished and key not in search.own_specs:
            search.specs.unfinished[key] = search.starters[key]
    for export, outcome in report.whole.items():
        if not outcome.is_right:
            _add_specs_on_model(search, export, blocked)
    for index, called in enumerate(report.functions):
        report.functions[index] = _with_spec_of_function(search, called)


def _add_to_findings(remedies: Iterable[tuple[Finding, Remedy]]) -> None:
    """Add remedies to findings, as they are known."""
    for finding, remedy in remedies:
        finding.remedies += (remedy,)


def _add_specs_on_model(search: RemedySearch, export: Export, blocked: Collection[Export]) -> None:
    """Try specs on a model that fails in an export, and add what they give."""
    report = search.report
    tried = specs_on_model.try_specs(search, export, blocked)
    if tried is None:
        return
    report.with_specs[export] = tried.outcome
    if not tried.is_told:
        report.untold_specs.add(export)
    report.notes = tried.notes
    if tried.is_cause_mended:
        report.causes.pop(export, None)
    if tried.outcome.is_right:
        keys = specs_on_model.find_needed_specs(search, export, tried)
        report.findings += specs_on_model.findings_in_model(search, export, keys)
        search.specs.helping |= search.specs_of(keys)


def _existing_specs(search: RemedySearch) -> dict[str, Starter]:
    """Return the user's specs, and the gallery's for the findings, with those that these need."""
    existing = {op: search.spec(op) for op in search.own_specs}
    for key in search.keys.values():
        if key not in gallery.specs():
            continue
        for op in gallery.with_needed(key):
            if op not in existing:
                existing[op] = search.spec(op)
    return existing


def _write_starters(search: RemedySearch) -> None:
    """Write a starter for each operator that has no other remedy, or keep why there is none."""
    specs = search.specs
    calls = [call for calls in search.report.traced.calls.values() for call in calls]
    for finding in search.report.findings:
        if not _needs_starter(search, finding):
            continue
        search.keys[finding] = finding.op
        without_spec = {*specs.refused, *specs.blocked_by_trace}
        if finding.op in {*specs.helping, *search.starters, *without_spec}:
            continue
        if not starters.may_help(finding, search.report):
            specs.blocked_by_trace.add(finding.op)
            continue
        search.progress(f"writing a starter for {finding.op}")
        try:
            search.starters[finding.op] = starters.starter_of(finding, calls, search.requires)
        except OnnxopError as error:
            specs.refused[finding.op] = str(error)


def _needs_starter(search: RemedySearch, finding: Finding) -> bool:
    """Return whether no spec helps with the call, and none of the user's is for it, and no change
    of the model is better.
    """
    if finding.has_remedy("rewrite", *READY_SPECS) or search.keys[finding] in search.own_specs:
        return False
    if all(map(finding.is_mended, finding.outcomes)):
        return False
    return finding.op not in FACTS["instead"] and not random_numbers.draws(finding.call)


def _with_spec_of_function(search: RemedySearch, call: OwnFunctionCall) -> OwnFunctionCall:
    """Write a spec of one of the model's own functions. Return the function with how its op replaces
    it, or why there is none.
    """
    keeping = unknown_nodes.to_keep(search.report, call)
    try:
        spec = own_functions.of_function(
            call.name, call.function, call.args, call.kwargs, call.results
        )
    except OnnxopError as error:
        why = str(error).removeprefix(f"{call.name}: ")
        return replace(call, remedy=f"none: {why}{keeping}")
    search.specs.unfinished[spec.op] = spec
    op = spec.file.removesuffix(".toml")
    source = ":".join(call.name.removesuffix(".apply").rsplit(".", 1))
    remedy = (
        f"write a spec, {spec.file}, with --write, or with onnxop new --from {source} --model "
        f"{search.target.name}. Replace the function by its op while you export, as --build does: "
        f'onnxop_runtime.replaced({{"{call.name}": my_ops.{op}}}){keeping}'
    )
    return replace(call, remedy=remedy, op=op, origin=spec.origin)


def _spec_key(search: RemedySearch, finding: Finding) -> str:
    """Return the key of the call's spec: the user's, the gallery's, or the gallery's of an operator
    that an exporter names or that the call is an alias of; else the operator.
    """
    if own_key := search.own_key(finding.call):
        return own_key
    names = [(finding.op, finding.call.overload_name)]
    for outcome in finding.outcomes.values():
        names += outcome.named
    called = finding.call.decomposed()
    if len(called) == 1:
        names += called
    keys = (gallery.find(*name) for name in names)
    return next(filter(None, keys), finding.op)


def _merge_equal_findings(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, those of one operator with equal kinds of outcomes and equal remedies as
    one.
    """
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        kinds = frozenset((export, outcome.kind) for export, outcome in finding.outcomes.items())
        groups.setdefault((finding.op, kinds, finding.remedies), []).append(finding)
    return [
        replace(first, alike=tuple(finding.call for finding in others))
        for first, *others in groups.values()
    ]


def _other_exporters(report: Report, progress: Progress) -> Iterator[tuple[Finding, Remedy]]:
    """Yield the other exporter at the same opset for the calls that pass in it, if that one was
    requested.
    """
    attempts = {
        Attempt(finding.call, export.other): (finding, export)
        for finding in report.findings
        for export in finding.outcomes
        if export.other in report.whole
    }
    alone = report.alone.outcomes
    tried = [attempt for attempt in attempts if (attempt.call, attempt.export) in alone]
    right = [attempt for attempt in tried if alone[attempt.call, attempt.export].is_right]
    untried = [attempt for attempt in attempts if attempt not in tried]
    passing = single_calls.passing_attempts(untried, progress, "the other exporter")
    for attempt in (*right, *passing):
        finding, export = attempts[attempt]
        exporter = attempt.export.exporter
        text = f"the {exporter} exporter{_condition_of_exporter(report, exporter)}"
        yield finding, Remedy("exporter", text, (str(export),))


def _condition_of_exporter(report: Report, exporter: str) -> str:
    """Return what has to change before the exporter takes the model, as text."""
    if exporter not in report.tracer_refusals or exporter in report.traced.unreadable_exporters:
        return ""
    place = report.traced.stops.get(exporter)
    return f", once it passes {place}" if place else ", once it can trace the model"


def _helping_spec_remedies(
    search: RemedySearch, proposed: Mapping[str, Starter]
) -> Iterator[tuple[Finding, Remedy]]:
    """Try specs on the calls that have none, registered with those that they need, and yield those
    that help.
    """
    findings, keys = search.report.findings, search.keys
    attempts: dict[Attempt, Finding] = {}
    for finding in findings:
        if keys[finding] not in proposed or finding.has_remedy(*READY_SPECS):
            continue
        needed = _with_needed_specs(keys[finding], proposed)
        if all(spec.is_pure for spec in needed.values()):
            texts = tuple(spec.text for spec in needed.values())
            rules = trial.Rules(specs=texts)
            attempts |= {
                Attempt(finding.call, export, rules): finding for export in finding.outcomes
            }
    fixed: dict[Finding, list[str]] = {}
    for attempt, outcome in single_calls.try_each([*attempts], search.progress, "specs"):
        finding = attempts[attempt]
        if outcome.is_right:
            fixed.setdefault(finding, []).append(str(attempt.export))
        else:
            kind = _SPEC_OF_ORIGIN.get(proposed[keys[finding]].origin, "a starter")
            failed = search.failed.setdefault(finding, {})
            failed[f"{kind} for {keys[finding]}"] = outcome
    for finding in findings:
        if finding not in fixed:
            continue
        key = keys[finding]
        search.specs.helping |= _with_needed_specs(key, proposed)
        kind = _KIND_OF_ORIGIN.get(proposed[key].origin, "starter")
        source = starters.from_arguments(key, finding.call, search.requires)
        text = format_spec(kind, key, source)
        yield finding, Remedy(kind, text, tuple(sorted(fixed[finding])))


def _runtime_remedies(search: RemedySearch) -> Iterator[tuple[Finding, Remedy]]:
    """Yield the TorchScript export of any package for the calls without a remedy that it has right."""
    attempts = {
        Attempt(finding.call, export, trial.RUNTIME): finding
        for finding in search.report.findings
        for export in finding.outcomes
        if export.exporter == "TorchScript" and not finding.has_remedy(*READY_SPECS)
    }
    for attempt in single_calls.passing_attempts(
        attempts, search.progress, "onnxop_runtime.export"
    ):
        text = "onnxop_runtime.export, or a package's, with dynamo=False"
        yield attempts[attempt], Remedy("runtime", text, (str(attempt.export),))


def _with_needed_specs(key: str, proposed: Mapping[str, Starter]) -> dict[str, Starter]:
    """Return the proposed specs that one needs, itself included."""
    return {op: proposed[op] for op in gallery.with_needed(key) if op in proposed}
