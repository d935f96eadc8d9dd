"""Specs → the outcome of the whole model with them, where each call alone does not decide."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from onnxop_runtime.messages import join_words

from ...find import gallery
from ...trial import trial
from ...trial.outcome import Outcome, format_error
from ..calls.recorded_calls import RecordedCall
from ..causes import constant_sizes
from ..model.exports import Export
from ..report.cause import Cause, Note, join_sentences
from ..report.failed_export import FailedExport
from ..report.findings import READY_SPECS, Finding, Remedy, RemedyKind
from ..report.report import Report
from .remedy_search import RemedySearch, format_spec

_MOST_NAMED = 6  # operators that errors name, one after another
_FIXING: tuple[RemedyKind, ...] = (*READY_SPECS, "runtime")
"""The kinds of remedies with which a call is right as they are."""


@dataclass(frozen=True)
class SpecsOutcome:
    """What specs give for the whole model in an export.

    Attributes:
        outcome: that of the model with the specs.
        notes: the notes of the report, with what they tell of the specs.
        helping: the specs that help with calls alone.
        added: the others that the model needs.
        candidates: further ones, of which the model needs some.
        is_cause_mended: whether they mend the cause that the report has of the failure.
        is_told: whether the report names the specs.
    """

    outcome: Outcome
    notes: list[Note]
    helping: Sequence[str] = ()
    added: Sequence[str] = ()
    candidates: Sequence[str] = ()
    is_cause_mended: bool = False
    is_told: bool = True


def try_specs(
    search: RemedySearch, export: Export, blocked: Collection[Export]
) -> SpecsOutcome | None:
    """Try specs on a model that fails in an export, where these may help."""
    report = search.report
    if export.exporter in report.traced.unreadable_exporters:
        return _with_specs_of_errors(search, export)
    if export.exporter in report.tracer_refusals:
        return _by_package(search, export)
    if not report.findings_in(export):
        return _with_specs_of_calls(search, export)
    if export not in blocked and search.specs.helping:
        return _with_helping_specs(search, export)
    return None


def find_needed_specs(search: RemedySearch, export: Export, specs: SpecsOutcome) -> list[str]:
    """Return the specs that the model needs beside those that help with calls: the candidates, or
    fewer with which it is right, too.
    """
    beside = [*specs.helping, *specs.added]
    return [*specs.added, *_narrow_down(search, specs.candidates, export, beside)]


def findings_in_model(search: RemedySearch, export: Export, keys: Sequence[str]) -> list[Finding]:
    """Return findings of the calls that fail in the whole model alone, which specs mend. Of an
    exporter whose graph cannot be read, no calls are known.
    """
    if export.exporter in search.report.traced.unreadable_exporters or not keys:
        return []
    by_key = _calls_by_key(search, export)
    return [
        finding
        for key in keys
        for finding in _findings_of_key(search, key, by_key.get(key, ()), export)
    ]


def _with_helping_specs(search: RemedySearch, export: Export) -> SpecsOutcome:
    """Try the specs that help with calls on the model; and where they leave it wrong, add those of
    operators that errors name, and then those of all calls, which may fail in the model alone.
    """
    report, helping = search.report, [*search.specs.helping]
    outcome = _outcome_with(search, helping, export)
    with_named, outcome = _with_named(search, export, helping, outcome)
    candidates, outcome = _with_all_calls(search, export, with_named, outcome)
    if outcome.is_right:
        added = [key for key in with_named if key not in helping]
        return SpecsOutcome(outcome, report.notes, helping, added, candidates)
    fact = f"the specs for {join_words(helping)} fix these calls, but not the model: {outcome}"
    return SpecsOutcome(outcome, [*report.notes, Note(f"{export}: {fact}")], helping)


def _by_package(search: RemedySearch, export: Export) -> SpecsOutcome | None:
    """Try the export of a package, which traces more than PyTorch's own, such as ``round(n * 0.5)``
    of a size, on a model that `torch.jit.trace` refuses: with the specs that help with calls, and
    those of operators that errors name. Return None if the model is not right by it.
    """
    report = search.report
    if export.exporter != "TorchScript" or report.right_exports or not search.specs.helping:
        return None
    helping = [*search.specs.helping]
    keys, outcome = _with_named(search, export, helping, _outcome_with(search, helping, export))
    if not outcome.is_right:
        return None
    fact = (
        f"torch.jit.trace cannot trace the model in PyTorch's own export: "
        f"{format_error(report.tracer_refusals[export.exporter])}; the export of a package can, and "
        f"with the specs for {join_words(keys)}, the file is right"
    )
    others = [note for note in report.notes if note.exporter != export.exporter]
    notes = [*others, Note(f"{export}: {fact}", (export,))]
    return SpecsOutcome(outcome, notes, helping, added=[key for key in keys if key not in helping])


def _with_named(
    search: RemedySearch, export: Export, keys: Sequence[str], outcome: Outcome
) -> tuple[list[str], Outcome]:
    """Add the specs of the operators that the outcomes name, one after another. Return the keys of
    all specs, and the outcome with them.
    """
    all_keys = [*keys]
    while len(all_keys) < len(keys) + _MOST_NAMED and not outcome.is_right:
        new = [key for key in _named_keys(search, outcome) if key not in all_keys]
        if not new:
            break
        all_keys += new
        outcome = _outcome_with(search, all_keys, export)
    return all_keys, outcome


def _with_all_calls(
    search: RemedySearch, export: Export, keys: Sequence[str], outcome: Outcome
) -> tuple[Sequence[str], Outcome]:
    """Add the specs of all calls of the model if these ones leave it wrong. Return the keys of those
    that are added, if they help, and the outcome.
    """
    more = [key for key in _calls_by_key(search, export) if key not in keys]
    if outcome.is_right or not more or not _may_need_more(search.report, export, outcome):
        return (), outcome
    with_all = _outcome_with(search, [*keys, *more], export)
    return (more, with_all) if with_all.is_right else ((), outcome)


def _may_need_more(report: Report, export: Export, outcome: Outcome) -> bool:
    """Return whether a rule of an operator may mend what is left of a model's failure."""
    if report.right_exports or not _may_be_of_rules(outcome) or outcome.is_specialised:
        return False
    failed = FailedExport(report, export, outcome)
    return outcome.fault != "branch" and not constant_sizes.lines(failed)


def _may_be_of_rules(outcome: Outcome) -> bool:
    """Return whether the failure may be of operators' rules, and not of the model or its buffers."""
    return not (outcome.is_of_model or outcome.is_of_buffers)


def _with_specs_of_errors(search: RemedySearch, export: Export) -> SpecsOutcome | None:
    """Try the specs of the operators that errors of the whole model name, one after another, and
    note the outcome. No call of such a model can be tried alone.
    """
    report = search.report
    keys, outcome = _with_named(search, export, [], report.whole[export])
    if not keys:
        return None
    commands = "; ".join(format_spec(search.spec_kind(key), key) for key in keys)
    fact = f"with the specs for {join_words(keys)}, the model fails: {outcome}"
    if outcome.is_right:
        fact = f"the model is right with {commands}"
    return SpecsOutcome(outcome, [*report.notes, Note(f"{export}: {fact}")], added=keys)


def _named_keys(search: RemedySearch, outcome: Outcome) -> Iterator[str]:
    """Yield the keys of the specs, without kernels, of the operators that an outcome names."""
    for op, overload in outcome.named:
        key = op if op in search.own_specs else gallery.find(op, overload)
        if key and search.spec(key).is_pure:
            yield key


def may_be_right(report: Report, export: Export) -> bool:
    """Return whether the model is right in the export, or may be with specs that fix each call."""
    if report.whole[export].is_right:
        return True
    failing = report.findings_in(export)
    is_taken = export.exporter not in report.tracer_refusals
    return is_taken and bool(failing) and all(_has_spec(finding, export) for finding in failing)


def _has_spec(finding: Finding, export: Export) -> bool:
    """Return whether a spec, or the export of any package, fixes the call in an export."""
    fixing = [remedy for remedy in finding.remedies if remedy.kind in _FIXING]
    return any(remedy.is_for(export) for remedy in fixing)


def _outcome_with(search: RemedySearch, ops: Sequence[str], export: Export) -> Outcome:
    """Return the outcome for the model with the specs of operators and those that they need."""
    search.progress(f"trying the specs for {join_words(ops)} on the model")
    specs = search.specs_of(ops).values()
    rules = trial.Rules(specs=tuple(spec.text for spec in specs if spec.is_pure))
    right_at_own_sizes = [export] if search.report.whole[export].is_of_sizes else []
    return search.try_model([export], rules, right_at_own_sizes)[export]


def _with_specs_of_calls(search: RemedySearch, export: Export) -> SpecsOutcome | None:
    """Try specs on a model that fails though each call alone passes: those of the calls that the
    refusal names, or of all.
    """
    report, outcome = search.report, search.report.whole[export]
    by_key = _calls_by_key(search, export)
    named = [key for key, (call, *_) in by_key.items() if call.op in dict(outcome.named)]
    keys = named or [*by_key]
    failed = FailedExport(report, export, outcome)
    if not keys or not _may_be_of_rules(outcome) or constant_sizes.lines(failed):
        return None  # no rule of an operator mends a size that is a constant
    if report.right_exports and not named:
        return None  # another exporter is right: halves of the specs are not worth an export each
    with_specs = _outcome_with(search, keys, export)
    if with_specs.is_right:
        mended = report.causes.get(export)
        notes = [note for note in report.notes if not _is_told_by(note, export, mended)]
        return SpecsOutcome(with_specs, notes, candidates=keys, is_cause_mended=True)
    if not named:
        return SpecsOutcome(with_specs, report.notes, is_told=False)
    fact = f"The specs for {join_words(named)} do not help: {with_specs}"
    notes = [
        replace(note, text=join_sentences((note.text, fact))) if _is_told_by(note, export) else note
        for note in report.notes
    ]
    return SpecsOutcome(with_specs, notes)


def _is_told_by(note: Note, export: Export, cause: Cause | None = None) -> bool:
    """Return whether a note tells this cause of an export's failure, or where to look for one."""
    if export not in note.exports or note.cause is None:
        return False
    return note.cause.is_vague or note.cause == cause


def _calls_by_key(search: RemedySearch, export: Export) -> dict[str, list[RecordedCall]]:
    """Return the calls that have specs without kernels, by the keys of these."""
    by_key: dict[str, list[RecordedCall]] = {}
    for call in search.report.traced.calls[export.exporter]:
        key = search.own_key(call) or gallery.key_of(call.op, call.overload_name)
        if key and search.spec(key).is_pure:
            by_key.setdefault(key, []).append(call)
    return by_key


def _narrow_down(
    search: RemedySearch, keys: Sequence[str], export: Export, beside: Sequence[str]
) -> Sequence[str]:
    """Return fewer specs with which the model is right, too, ``beside`` others: of one half of
    them, as long as a half is enough.
    """
    while len(keys) > 1:
        middle = len(keys) // 2
        halves = keys[:middle], keys[middle:]
        right = (
            half for half in halves if _outcome_with(search, [*beside, *half], export).is_right
        )
        half = next(right, None)
        if half is None:
            break
        keys = half
    return keys


def _findings_of_key(
    search: RemedySearch, key: str, calls: Sequence[RecordedCall], export: Export
) -> list[Finding]:
    """Return findings of calls that fail in the whole model alone, with the remedy to use a spec."""
    outcome_of_model = search.report.whole[export]
    outcome = Outcome(outcome_of_model.kind, f"in the whole model: {outcome_of_model.why}")
    kind = search.spec_kind(key)
    remedy = Remedy(kind, text=format_spec(kind, key), fixes=(str(export),))
    return [Finding(call, {export: outcome}, (remedy,)) for call in calls]
