"""A call that does not export → the remedies, each one tried."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from onnxop_runtime.messages import join_words

from ..check.load import load
from ..errors import OnnxopError
from ..find import gallery
from ..starter import own_functions, starter
from ..starter.starter import Starter
from ..trial import trial
from ..trial.outcome import Outcome
from . import branches, notes, random_numbers, starters, stops, tries
from .calls import Recorded
from .report import Export, Finding, Progress, Remedy, Report
from .stops import Stopped
from .tries import Try

_MOST_NAMED = 6  # operators that errors name, one after another
_IN_PAIRS = "these operations must occur in pairs"  # of the TorchScript exporter, before it looks for a rule
_KINDS = {"gallery": "the gallery's spec", "own": "your spec"}
_TEXTS = {
    "gallery": "the gallery's spec: onnxop new --from {0}",
    "own": "your spec for {0}",
    "starter": "a starter: onnxop new --from {0}",
}


@dataclass
class Specs:
    """By operator: the specs that help, those to complete, and why there is none."""

    helping: dict[str, Starter] = field(default_factory=dict)
    unfinished: dict[str, Starter] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


@dataclass
class RemedySearch:
    """A search for remedies.

    Attributes:
        report: the report, whose findings get the remedies.
        own_specs: the user's specs, by operator, which precede the gallery's.
        progress: shows each step.
        requires: modules that register operators.
        specs: the specs, as they are known.
        starters: the starters of operators that have no other spec.
    """

    report: Report
    own_specs: Mapping[str, Path]
    progress: Progress
    requires: Sequence[str] = ()
    specs: Specs = field(default_factory=Specs)
    starters: dict[str, Starter] = field(default_factory=dict)

    def spec(self, op: str) -> Starter:
        """Return the user's spec of an operator, or the gallery's."""
        if op in self.own_specs:
            text = self.own_specs[op].read_text(encoding="utf-8")
            return Starter(op, text, "own", is_proved=False)
        return starter.write_spec(op)

    def own_key(self, call: Recorded) -> str | None:
        """Return the key of the user's spec of a call, or None."""
        keys = f"{call.op}.{call.overload_name}", call.op
        return next((key for key in keys if key in self.own_specs), None)

    def kind(self, key: str) -> str:
        """Return whose spec of an operator there is: ``own``, the user's, or ``gallery``."""
        return "own" if key in self.own_specs else "gallery"

    def specs_of(self, ops: Sequence[str]) -> dict[str, Starter]:
        """Return the specs of operators, and those that these need."""
        needed = dict.fromkeys(key for op in ops for key in gallery.with_needed(op))
        return {op: self.spec(op) for op in needed}


def find(
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
        stops.end()
        report.stopped = str(stopped)
    report.findings = _merged(report.findings)
    return search.specs


def _add_remedies(search: RemedySearch) -> None:
    """Try each kind of remedy on the calls, the shortest first; then the specs that help on the
    whole model.
    """
    report = search.report
    _try_higher_opsets(report.findings, search.progress)
    _try_other_exporters(report, search.progress)
    _try_specs(search, _existing_specs(search))
    _try_runtime(search)
    _write_starters(search)
    _try_specs(search, search.starters)
    blocked = {export for export in report.whole if not _may_be_right(report, export)}
    for finding in report.findings:
        finding.remedies += tuple(_last_remedies(search, finding, blocked))
    for export, outcome in report.whole.items():
        if not outcome.is_right:
            _try_specs_on_model(search, export, blocked)
    _replace_functions(report, search.specs)


def _existing_specs(search: RemedySearch) -> dict[str, Starter]:
    """Return the user's specs, and the gallery's for the findings, with those that these need. Add
    its key to each finding.
    """
    existing = {op: search.spec(op) for op in search.own_specs}
    for finding in search.report.findings:
        finding.spec = _spec_key(search, finding)
        if finding.spec not in gallery.specs():
            continue
        for op in gallery.with_needed(finding.spec):
            if op not in existing:
                existing[op] = search.spec(op)
    return existing


def _write_starters(search: RemedySearch) -> None:
    """Write a starter for each operator that has no other remedy, or keep why there is none."""
    specs = search.specs
    calls = [call for calls in search.report.calls.values() for call in calls]
    for finding in search.report.findings:
        if not _needs_starter(search, finding):
            continue
        finding.spec = finding.op
        if finding.op in (*specs.helping, *search.starters, *specs.refused):
            continue
        search.progress(f"writing a starter for {finding.op}")
        try:
            starters.check_helps(finding, search.report)
            search.starters[finding.op] = starters.starter_of(finding, calls, search.requires)
        except OnnxopError as error:
            specs.refused[finding.op] = str(error)


def _needs_starter(search: RemedySearch, finding: Finding) -> bool:
    """Return whether no spec helps with the call, and none of the user's is for it, and no change
    of the model is better.
    """
    if finding.has_remedy(*_TEXTS) or finding.spec in search.own_specs:
        return False
    if all(map(finding.is_mended, finding.outcomes)):
        return False
    return finding.op not in notes.FACTS["instead"] and not random_numbers.draws(finding.call)


def _try_specs_on_model(search: RemedySearch, export: Export, blocked: Collection[Export]) -> None:
    """Try specs on a model that fails in an export, where these may help."""
    report = search.report
    if export.exporter in report.unread:
        _try_named_specs(search, export)
        return
    if export.exporter in report.untaken:
        return
    if not any(export in finding.outcomes for finding in report.findings):
        _try_fewest_specs(search, export)
    elif export not in blocked and not search.starters and search.specs.helping:
        ops = [*search.specs.helping]
        outcome = report.with_specs[export] = _outcome_with(search, ops, export)
        if not outcome.is_right:
            report.notes.append(
                f"{export}: the specs for {join_words(ops)} fix these calls, but not the model: "
                f"{outcome}."
            )


def _try_named_specs(search: RemedySearch, export: Export) -> None:
    """Try the specs of the operators that errors of the whole model name, one after another, and
    note the outcome. No call of such a model can be tried alone.
    """
    report = search.report
    outcome = report.whole[export]
    keys: list[str] = []
    while len(keys) < _MOST_NAMED and not outcome.is_right:
        new = [key for key in _named_keys(search, outcome) if key not in keys]
        if not new:
            break
        keys += new
        outcome = _outcome_with(search, keys, export)
    if not keys:
        return
    report.with_specs[export] = outcome
    if not outcome.is_right:
        fact = f"with the specs for {join_words(keys)}, the model fails: {outcome}"
        report.notes.append(f"{export}: {fact}.")
        return
    search.specs.helping |= search.specs_of(keys)
    commands = "; ".join(_TEXTS[search.kind(key)].format(key) for key in keys)
    report.notes.append(f"{export}: the model is right with {commands}.")


def _named_keys(search: RemedySearch, outcome: Outcome) -> Iterator[str]:
    """Yield the keys of the specs, without kernels, of the operators that an outcome names."""
    for op, overload in outcome.named:
        key = op if op in search.own_specs else gallery.find(op, overload)
        if key and search.spec(key).is_pure:
            yield key


def _may_be_right(report: Report, export: Export) -> bool:
    """Return whether the model is right in the export, or may be with specs that fix each call."""
    if report.whole[export].is_right:
        return True
    within = [finding for finding in report.findings if export in finding.outcomes]
    is_taken = export.exporter not in report.untaken
    return is_taken and bool(within) and all(_has_spec(finding, export) for finding in within)


def _has_spec(finding: Finding, export: Export) -> bool:
    """Return whether a spec, or the export of any package, fixes the call in an export."""
    specs = [remedy for remedy in finding.remedies if remedy.kind in (*_TEXTS, "runtime")]
    return any(str(export) in remedy.fixes for remedy in specs)


def _replace_functions(report: Report, specs: Specs) -> None:
    """Add a spec of each of the model's own functions, and say how its op replaces the function."""
    for called in report.functions:
        try:
            spec = own_functions.of_function(
                called.name, called.function, called.args, called.kwargs, called.results
            )
        except OnnxopError as error:
            called.remedy = f"none: {str(error).removeprefix(f'{called.name}: ')}"
            continue
        specs.unfinished[spec.op] = spec
        called.op, called.origin = spec.file.removesuffix(".toml"), spec.origin
        source = ":".join(called.name.removesuffix(".apply").rsplit(".", 1))
        called.remedy = (
            f"write a spec, {spec.file}, with --write, or with onnxop new --from {source} --model "
            f"{report.model}. Replace the function by its op while you export, as --build does: "
            f'onnxop_runtime.replaced({{"{called.name}": my_ops.{called.op}}})'
        )


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


def _merged(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, those of one operator with equal kinds of outcomes and equal remedies as
    one.
    """
    merged: dict[object, Finding] = {}
    for finding in findings:
        kinds = frozenset((export, outcome.kind) for export, outcome in finding.outcomes.items())
        first = merged.setdefault((finding.op, kinds, finding.remedies), finding)
        if first is not finding:
            first.alike.append(finding.call)
    return [*merged.values()]


def _try_higher_opsets(findings: Sequence[Finding], progress: Progress) -> None:
    """Find the lowest higher opset of the same exporter at which each call passes."""
    refused = [
        (finding, export)
        for finding in findings
        for export, outcome in finding.outcomes.items()
        if not outcome.has_no_rule
    ]
    jobs = {
        Try(finding.call, replace(export, opset=opset)): (finding, export)
        for finding, export in refused
        for opset in range(export.opset + 1, trial.EXPORTERS[export.exporter].stop)
    }
    lowest: dict[tuple[Finding, Export], int] = {}
    for one in _passing(jobs, progress, "higher opsets"):
        lowest[jobs[one]] = min(one.export.opset, lowest.get(jobs[one], one.export.opset))
    for (finding, export), opset in lowest.items():
        text = f"opset {opset} of the {export.exporter} exporter"
        finding.remedies += (Remedy("opset", text, (str(export),)),)


def _try_other_exporters(report: Report, progress: Progress) -> None:
    """Find the calls that pass in the other exporter at the same opset, if that one was requested."""
    jobs = {
        Try(finding.call, export.other): (finding, export)
        for finding in report.findings
        for export in finding.outcomes
        if export.other in report.whole
    }
    known = [one for one in jobs if (one.call, one.export) in report.alone]
    right = [one for one in known if report.alone[one.call, one.export].is_right]
    unknown = [one for one in jobs if one not in known]
    for one in (*right, *_passing(unknown, progress, "the other exporter")):
        finding, export = jobs[one]
        text = f"the {one.export.exporter} exporter{_once(report, one.export.exporter)}"
        finding.remedies += (Remedy("exporter", text, (str(export),)),)


def _once(report: Report, exporter: str) -> str:
    """Return what has to change before the exporter takes the model, as text."""
    if exporter not in report.untaken or exporter in report.unread:
        return ""
    place = report.stops.get(exporter)
    return f", once it passes {place}" if place else ", once it can trace the model"


def _try_specs(search: RemedySearch, proposed: Mapping[str, Starter]) -> None:
    """Try specs on the calls that have none, registered with those that they need, and add those
    that help.
    """
    findings = search.report.findings
    jobs: dict[Try, Finding] = {}
    for finding in findings:
        if finding.spec not in proposed or finding.has_remedy(*_TEXTS):
            continue
        needed = _needed(finding, proposed)
        if all(spec.is_pure for spec in needed.values()):
            texts = tuple(spec.text for spec in needed.values())
            rules = trial.Rules(specs=texts)
            jobs |= {Try(finding.call, export, rules): finding for export in finding.outcomes}
    fixed: dict[Finding, list[str]] = {}
    for one, outcome in tries.try_each([*jobs], search.progress, "specs"):
        finding = jobs[one]
        if outcome.is_right:
            fixed.setdefault(finding, []).append(str(one.export))
        else:
            kind = _KINDS.get(proposed[finding.spec].origin, "a starter")
            finding.failed[f"{kind} for {finding.spec}"] = outcome
    for finding in findings:
        if finding not in fixed:
            continue
        search.specs.helping |= _needed(finding, proposed)
        origin = proposed[finding.spec].origin
        kind = origin if origin in _TEXTS else "starter"
        source = starters.from_arguments(finding.spec, finding.call, search.requires)
        remedy = Remedy(kind, _TEXTS[kind].format(source), tuple(sorted(fixed[finding])))
        finding.remedies += (remedy,)


def _try_runtime(search: RemedySearch) -> None:
    """Find the calls without a remedy that the TorchScript export of any package writes right."""
    jobs = {
        Try(finding.call, export, trial.RUNTIME): finding
        for finding in search.report.findings
        for export in finding.outcomes
        if export.exporter == "TorchScript" and not finding.has_remedy(*_TEXTS)
    }
    for one in _passing(jobs, search.progress, "onnxop_runtime.export"):
        text = "onnxop_runtime.export, or a package's, with dynamo=False"
        jobs[one].remedies += (Remedy("runtime", text, (str(one.export),)),)


def _needed(finding: Finding, proposed: Mapping[str, Starter]) -> dict[str, Starter]:
    """Return the proposed specs that the one of a finding needs, itself included."""
    needed = gallery.with_needed(finding.spec)
    return {op: proposed[op] for op in needed if op in proposed}


def _outcome_with(search: RemedySearch, ops: Sequence[str], export: Export) -> Outcome:
    """Return the outcome for the model with the specs of operators and those that they need."""
    search.progress(f"trying the specs for {join_words(ops)} on the model")
    specs = search.specs_of(ops).values()
    rules = trial.Rules(specs=tuple(spec.text for spec in specs if spec.is_pure))
    known = [export] if search.report.whole[export].is_of_sizes else []
    return branches.try_exports(search.report, [export], search.progress, rules, known)[export]


def _try_fewest_specs(search: RemedySearch, export: Export) -> None:
    """Try specs on a model that fails though each call alone passes: those of the calls that the
    refusal names, or of all. Add the fewest that help to findings of their calls.
    """
    report, outcome = search.report, search.report.whole[export]
    by_key = _calls_by_key(search, export)
    named = [key for key, (call, *_) in by_key.items() if call.op in dict(outcome.named)]
    keys = named or [*by_key]
    if not keys or outcome.cause in ("model", "specialised"):
        return
    if report.right_exports and not named:
        return  # another exporter is right already: halves of the specs are not worth an export each
    with_specs = report.with_specs[export] = _outcome_with(search, keys, export)
    note = f"{export}: {notes.ALONE}"
    if with_specs.is_right:
        report.notes = [text for text in report.notes if not text.startswith(note)]
        for key in _fewest(search, keys, export):
            report.findings += _findings_in_model(search, key, by_key[key], export)
            search.specs.helping |= search.specs_of([key])
    elif named:
        tried = f" The specs for {join_words(named)} do not help: {with_specs}."
        report.notes = [text + tried if text.startswith(note) else text for text in report.notes]


def _calls_by_key(search: RemedySearch, export: Export) -> dict[str, list[Recorded]]:
    """Return the calls that have specs without kernels, by the keys of these."""
    by_key: dict[str, list[Recorded]] = {}
    for call in search.report.calls[export.exporter]:
        key = search.own_key(call) or gallery.key_of(call.op, call.overload_name)
        if key and search.spec(key).is_pure:
            by_key.setdefault(key, []).append(call)
    return by_key


def _fewest(search: RemedySearch, keys: Sequence[str], export: Export) -> Sequence[str]:
    """Return the fewest specs with which the model is right, found by halving."""
    while len(keys) > 1:
        middle = len(keys) // 2
        halves = keys[:middle], keys[middle:]
        right = (half for half in halves if _outcome_with(search, half, export).is_right)
        half = next(right, None)
        if half is None:
            break
        keys = half
    return keys


def _findings_in_model(
    search: RemedySearch, key: str, calls: Sequence[Recorded], export: Export
) -> list[Finding]:
    """Return findings of calls that fail in the whole model alone, with the remedy to use a spec."""
    outcome = search.report.whole[export]
    in_model = Outcome(outcome.kind, f"in the whole model: {outcome.why}")
    kind = search.kind(key)
    remedy = Remedy(kind, _TEXTS[kind].format(key), (str(export),))
    return [Finding(call, {export: in_model}, (remedy,), key) for call in calls]


def _passing(jobs: Collection[Try], progress: Progress, label: str) -> Iterator[Try]:
    """Yield the tries that pass."""
    for one, outcome in tries.try_each([*jobs], progress, label):
        if outcome.is_right:
            yield one


def _last_remedies(
    search: RemedySearch, finding: Finding, blocked: Collection[Export]
) -> Iterator[Remedy]:
    """Yield a remedy, or why there is none, for the exports in which nothing that was tried helps."""
    why_not = _unfixed(finding, blocked)
    in_pairs = tuple(export for export, why in why_not.items() if _IN_PAIRS in why)
    others = tuple(export for export in why_not if export not in in_pairs)
    if in_pairs:
        text = "in the model, call pack_padded_sequence and pad_packed_sequence, both"
        yield Remedy("none", f"no spec helps: {text}", in_pairs)
    if not others:
        return
    kind, text = _last_resort(search, finding)
    if kind in ("none", "unfinished"):
        hints = "".join(dict.fromkeys(notes.switches(place) for place in finding.places))
        text = f"{text.rstrip('.')}.{hints}" if hints else text
    yield Remedy(kind, text, others)


def _unfixed(finding: Finding, blocked: Collection[Export]) -> dict[str, str]:
    """Return why the call fails, by the exports in which no remedy helps. To use the other exporter
    does not help if that one is ``blocked``: the model has calls there without a remedy.
    """
    is_blocked = {str(export): export.other in blocked for export in finding.outcomes}
    fixed: set[str] = set()
    for remedy in finding.remedies:
        is_exporter = remedy.kind == "exporter"
        fixed |= {export for export in remedy.fixes if not (is_exporter and is_blocked[export])}
    why = {str(export): outcome.why for export, outcome in finding.outcomes.items()}
    return {export: text for export, text in why.items() if export not in fixed}


def _last_resort(search: RemedySearch, finding: Finding) -> tuple[str, str]:
    """Return the kind and the text of the remedy for a call with which no spec helps as it is."""
    key, specs = finding.spec, search.specs
    failed = _failed_specs(finding)
    unfinished = search.starters.get(key)
    if unfinished and key not in specs.helping and unfinished.origin != "decomposed":
        specs.unfinished[key] = unfinished
        source = starters.from_arguments(key, finding.call, search.requires)
        text = f"complete a starter: onnxop new --from {source}"
        return "unfinished", f"{text}; {failed}" if failed else text
    if key in specs.refused:
        return "none", specs.refused[key].removeprefix(f"{finding.op}: ")
    if key in search.own_specs and load(search.own_specs[key]).is_native:
        return "own", f"your spec for {key}; --build compiles its kernel and tries it"
    if random_numbers.draws(finding.call):
        text = "draw the numbers once and keep them in a buffer, or make them an input"
        return "rewrite", f"in the model, {text}"
    if finding.op in notes.FACTS["instead"]:
        return "rewrite", f"in the model, {notes.FACTS['instead'][finding.op]}"
    return "none", failed or "the existing spec does not help with this call"


def _failed_specs(finding: Finding) -> str:
    """Return the specs that do not help and why, as text; of equal reasons, the first one."""
    first_specs: dict[str, str] = {}
    for spec, outcome in reversed(finding.failed.items()):
        first_specs[str(outcome)] = spec
    return "; ".join(f"{spec} does not help: {why}" for why, spec in first_specs.items())
