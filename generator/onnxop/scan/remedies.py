"""A call that does not export → the ways out, each of them tried."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import torch

from ..check.load import load
from ..errors import OnnxopError
from ..find import gallery, torchops
from ..spec.tensors import SampleValue
from ..starter import samples, starter
from ..starter.written import Written
from ..trial import trial
from ..trial.call import has_complex
from ..trial.outcome import Outcome, named, said
from .calls import Recorded
from .report import Export, Finding, Progress, Report, Way

_MOST_SAMPLES = 4  # of a starter
_TEXTS = {
    "gallery": "the gallery's spec: onnxop new --from {0}",
    "own": "your spec of {0}",
    "starter": "a starter: onnxop new --from {0}",
}
_FindWays = Callable[[Sequence[Finding]], None]


@dataclass
class Specs:
    """The specs that help, by operator, and those that are still to be completed; why there is none."""

    helping: dict[str, Written] = field(default_factory=dict)
    unfinished: dict[str, Written] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Trial:
    """One try of a finding's call, for the ``fixes`` of it that it would be, in words."""

    finding: Finding
    fixes: Export
    export: Export
    rules: trial.Rules = trial.STOCK
    in_float32: bool = False

    def outcome(self) -> Outcome:
        call = self.finding.call.in_float32() if self.in_float32 else self.finding.call
        return trial.tried(call.call(), self.export.exporter, self.export.opset, self.rules)


def find(
    report: Report, own: Mapping[str, Path], progress: Progress, requires: Sequence[str] = ()
) -> Specs:
    """Finds the ways out, which go into the findings. ``own`` are specs that the user has already, by
    operator: they stand before the gallery's. ``requires`` are modules that register operators. Where
    PyTorch does not take the model itself, no spec helps, and none is written for that exporter alone.
    """
    findings = report.findings
    specs = Specs()
    frozen = {e.exporter for e, outcome in report.whole.items() if outcome.frozen}
    _by_kind(findings, partial(_higher_opsets, progress=progress))
    _by_kind(findings, partial(_other_exporters, frozen=frozen, progress=progress))
    proposed = {
        op: Written(op, file.read_text(encoding="utf-8"), "own", is_proved=False)
        for op, file in own.items()
    }
    for finding in findings:
        finding.spec = _known(finding, own)
        for op in gallery.with_needed(finding.spec) if finding.spec in gallery.specs() else ():
            if op not in proposed:
                proposed[op] = starter.write(op)
    _try(findings, proposed, specs, progress, requires)
    others = [f for f in findings if f.call.dtype and not f.has_way(*_TEXTS)]
    _float32(others, progress)
    others = [finding for finding in others if not finding.has_way("float32")]
    _try(others, proposed, specs, progress, requires, in_float32=True)
    hopeful = [
        finding
        for finding in findings
        if any(export.exporter not in report.untaken for export in finding.outcomes)
        and not finding.has_way("float32")
    ]
    starters: dict[str, Written] = {}
    for finding in hopeful:
        if not finding.has_way(*_TEXTS) and finding.spec not in own:
            finding.spec = _of_starter(finding.op, finding.call.word)
        if finding.spec in (*specs.helping, *starters, *own):
            continue
        progress(f"a starter for {finding.op}")
        try:
            starters[finding.spec] = _starter(finding, report.calls, requires)
        except OnnxopError as error:
            specs.refused[finding.spec] = str(error)
    _try(findings, starters, specs, progress, requires, in_float32=True)
    for finding in hopeful:
        _note_rest(finding, starters, specs, own, report.untaken, requires)
    wanted = {op for finding in hopeful for op in gallery.with_needed(finding.spec)}
    specs.helping = {op: written for op, written in specs.helping.items() if op in wanted}
    return specs


def _by_kind(findings: Sequence[Finding], find_ways: _FindWays) -> None:
    """Finds ways for the calls; of one operator's in another dtype than float32, which ONNX Runtime takes or
    does not, whatever the sizes are, for the others where there is one for the first.
    """
    kinds: dict[object, list[Finding]] = {}
    for finding in findings:
        dtype = finding.call.dtype
        kinds.setdefault((finding.op, dtype, *finding.outcomes) if dtype else finding, []).append(
            finding
        )
    before = {kind: alike[0].ways for kind, alike in kinds.items()}
    find_ways([alike[0] for alike in kinds.values()])
    have_way = [alike for kind, alike in kinds.items() if alike[0].ways != before[kind]]
    find_ways([finding for _, *others in have_way for finding in others])


def _of_starter(op: str, overload: str) -> str:
    """What a starter is found by: one of an overload that the gallery's spec is not of, by its name."""
    if gallery.is_of_other(op, overload):
        return f"{op}.{overload}"
    return gallery.find(op, overload) or op


def _known(finding: Finding, own: Mapping[str, Path]) -> str:
    """What a spec of the call is found by: the user's, the gallery's, or the gallery's of an operator
    that the call consists of, which an exporter asks for, or of which it is another name; else the
    operator.
    """
    op, overload = finding.op, finding.call.word
    mine = next((key for key in (f"{op}.{overload}", op) if key in own), None)
    asked = (key for outcome in finding.outcomes.values() for key in named_ops(outcome))
    return mine or gallery.find(op, overload) or next(asked, None) or _same(finding) or op


def _same(finding: Finding) -> str | None:
    """The gallery's spec of the one operator that PyTorch makes the call of."""
    called = finding.call.called()
    return gallery.find(*called[0]) if len(called) == 1 else None


def named_ops(outcome: Outcome) -> list[str]:
    """The operators that an exporter's refusal names, by what the gallery has their specs by."""
    keys = (gallery.find(name, overload) for name, overload in named(outcome))
    return list(dict.fromkeys(key for key in keys if key is not None))


def _starter(finding: Finding, seen: Sequence[Recorded], requires: Sequence[str]) -> Written:
    """A starter, whose samples are what the model gives the call, and others of its operator; the first
    alone, where no spec can have all of them.
    """
    recorded = finding.call.in_float32()
    overload = recorded.overload
    call = recorded.call()
    try:
        is_complex = has_complex([*call.tensors, *call.results()])
    except Exception as error:
        raise OnnxopError(
            f"{finding.op}: PyTorch does not take the call alone: {said(error)}"
        ) from error
    if is_complex:
        raise OnnxopError(
            f"{finding.op}: ONNX Runtime computes with no complex numbers; write the model with their "
            "real and imaginary parts"
        )
    values = _sample(recorded)
    others: list[dict[str, SampleValue]] = []
    for other in seen:
        found = _sample(other.in_float32()) if other.overload == overload else None
        if values and found and found not in (values, *others) and len(others) + 1 < _MOST_SAMPLES:
            others.append(found)
    needed = _needed(finding.op, requires)
    word = recorded.word if recorded.word in torchops.schemas(finding.op, needed) else ""
    try:
        made = starter.starter(finding.op, word, needed, values, others=others)
    except OnnxopError:
        made = starter.starter(finding.op, word, needed, values)
    return replace(made, op=finding.spec)


def _sample(recorded: Recorded) -> dict[str, SampleValue] | None:
    """What the model gives the call; None where a sample cannot hold it."""
    values: dict[str, SampleValue] = {}
    schema = recorded.overload._schema
    kinds = {argument.name: str(argument.real_type) for argument in schema.arguments}
    for name, value in recorded.arguments().items():
        is_number = "Tensor" in kinds[name] and isinstance(value, bool | int | float)
        if "ScalarType" in kinds[name] and isinstance(value, int):  # as a trace has it
            value = torch.ops.aten.empty([0], dtype=value).dtype
        sample = samples.recorded(torch.tensor(value) if is_number else value)
        if sample is None:
            return None
        if value is not None:
            values[name] = sample
    return values


def _needed(op: str, requires: Sequence[str]) -> Sequence[str]:
    """The modules that register an operator of the user's own."""
    namespace = op.partition("::")[0]
    return () if namespace == "aten" or torchops.modules(namespace) else requires


def _higher_opsets(findings: Sequence[Finding], progress: Progress) -> None:
    """Find the lowest opset above the one asked for, of the same exporter, at which the call is right.

    The highest is tried first: where an exporter has no rule of an operator there, it has none below.
    """
    highest, below = [], []
    for finding in findings:
        for export in finding.outcomes:
            *others, last = range(export.opset, trial.EXPORTERS[export.exporter].stop)
            if others:
                highest.append(_Trial(finding, export, replace(export, opset=last)))
    right = []
    for tried, outcome in _tried(highest, progress, "the highest opset"):
        right += [tried] * outcome.is_right
        if not _has_no_rule(outcome, tried.finding.outcomes[tried.fixes]):
            opsets = range(tried.fixes.opset + 1, tried.export.opset)
            below += [replace(tried, export=replace(tried.fixes, opset=o)) for o in opsets]
    right += [t for t, outcome in _tried(below, progress, "higher opsets") if outcome.is_right]
    for finding in findings:
        for export in finding.outcomes:
            mine = [t.export.opset for t in right if (t.finding, t.fixes) == (finding, export)]
            if mine:
                text = f"opset {min(mine)} of the {export.exporter} exporter"
                finding.ways += (Way("opset", text, (str(export),)),)


def _has_no_rule(outcome: Outcome, before: Outcome) -> bool:
    """Whether an exporter refuses the same operators as at a lower opset."""
    names = named(outcome)
    return outcome.kind == before.kind == "export" and bool(names) and names == named(before)


def _other_exporters(
    findings: Sequence[Finding], frozen: Collection[str], progress: Progress
) -> None:
    """The other exporter at the same opset, but those that are right for the model's values alone."""
    trials = []
    for finding in findings:
        for export in finding.outcomes:
            name = next(name for name in trial.EXPORTERS if name != export.exporter)
            other = replace(export, exporter=name)
            is_open = other not in finding.outcomes and name not in frozen
            if is_open and export.opset in trial.EXPORTERS[name]:
                trials.append(_Trial(finding, export, other))
    for tried, outcome in _tried(trials, progress, "the other exporter"):
        if outcome.is_right:
            text = f"the {tried.export.exporter} exporter"
            tried.finding.ways += (Way("exporter", text, (str(tried.fixes),)),)


def _float32(findings: Sequence[Finding], progress: Progress) -> None:
    """The same exports in float32, of calls that have floats of other dtypes."""
    trials = [_Trial(f, export, export, in_float32=True) for f in findings for export in f.outcomes]
    text = "float32, in which it is right: return model.float(), and inputs in float32"
    for finding, fixed in _fixed(trials, progress, "float32").items():
        finding.ways += (Way("float32", text, fixed),)


def _try(
    findings: Sequence[Finding],
    proposed: Mapping[str, Written],
    specs: Specs,
    progress: Progress,
    requires: Sequence[str],
    *,
    in_float32: bool = False,
) -> None:
    """Try the specs on the calls, each registered with those that it needs: one that makes a call right
    helps.
    """
    rules = {op: _rules(op, proposed) for op, written in proposed.items() if written.is_pure}
    trials = [
        _Trial(finding, export, export, rules[finding.spec], in_float32)
        for finding in findings
        if finding.spec in rules
        for export in finding.outcomes
    ]
    for finding, fixed in _fixed(trials, progress, "specs").items():
        origin = proposed[finding.spec].origin
        specs.helping |= {op: proposed[op] for op in gallery.with_needed(finding.spec)}
        kind = origin if origin in _TEXTS else "starter"
        text = _TEXTS[kind].format(_asked(finding.spec, requires))
        if in_float32 and finding.call.dtype:
            text += ", and float32"
        finding.ways += (Way(kind, text, fixed),)


def _fixed(
    trials: Sequence[_Trial], progress: Progress, what: str
) -> dict[Finding, tuple[str, ...]]:
    """The exports that come right, in words, in the order of the findings."""
    right = [tried for tried, outcome in _tried(trials, progress, what) if outcome.is_right]
    found = {t.finding: {str(r.fixes) for r in right if r.finding is t.finding} for t in trials}
    return {finding: tuple(sorted(fixes)) for finding, fixes in found.items() if fixes}


def _tried(
    trials: Sequence[_Trial], progress: Progress, what: str
) -> Iterator[tuple[_Trial, Outcome]]:
    """What becomes of each, as they come."""
    outcomes = trial.outcomes([tried.outcome for tried in trials])
    for number, (place, outcome) in enumerate(outcomes, 1):
        progress(f"{what}: {number} of {len(trials)}")
        yield trials[place], outcome


def _asked(op: str, requires: Sequence[str]) -> str:
    """What to give ``onnxop new --from``."""
    return " --requires ".join([op, *_needed(op, requires)])


def _rules(op: str, proposed: Mapping[str, Written]) -> trial.Rules:
    """The spec's, and those of the specs that it needs."""
    needed = gallery.with_needed(op) if proposed[op].origin == "gallery" else [op]
    return trial.Rules(specs=tuple(proposed[each].text for each in needed if each in proposed))


def _note_rest(
    finding: Finding,
    starters: Mapping[str, Written],
    specs: Specs,
    own: Mapping[str, Path],
    untaken: Collection[str],
    requires: Sequence[str],
) -> None:
    """What is left to say where nothing that was tried makes the call right in an export."""
    fixed = {export for way in finding.ways for export in way.fixes}
    taken = [export for export in finding.outcomes if export.exporter not in untaken]
    left = tuple(str(export) for export in taken if str(export) not in fixed)
    if not left:
        return
    kind, text = "none", "the spec that there is does not help with this call"
    if finding.spec in starters and finding.spec not in specs.helping:
        specs.unfinished[finding.spec] = starters[finding.spec]
        kind = "unfinished"
        text = f"complete a starter: onnxop new --from {_asked(finding.spec, requires)}"
    elif finding.spec in specs.refused:
        text = f"no spec: {specs.refused[finding.spec].removeprefix(f'{finding.op}: ')}"
    elif finding.spec in own and load(own[finding.spec]).is_native:
        kind = "own"
        text = f"your spec of {finding.spec}, whose kernel --build compiles and tries"
    finding.ways += (Way(kind, text, left),)
