"""A model → every op of it that does not export right, and the shortest way out for each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..errors import listed
from . import calls, forks, traces, trial
from .calls import Recorded
from .places import Place
from .remedies import Way
from .target import Target, check_runs
from .trial import Outcome

Progress = Callable[[str], None]
_NAMES = {"dynamo": "torch.export", "TorchScript": "torch.jit.trace"}
_SECONDS = 1800.0  # for the whole model
_TOGETHER = 32  # calls in one model


@dataclass(frozen=True)
class Export:
    """An exporter, and the opset that is asked of it."""

    exporter: str
    opset: int

    def __str__(self) -> str:
        return f"{self.exporter}, opset {self.opset}"


@dataclass
class Finding:
    """A call that is not right in some export, alone: its ``outcomes`` there; the ``ways`` out, the
    shortest first; why there is none, where so; ``spec`` is what a spec of it is found by.
    """

    op: str
    call: str
    places: tuple[Place, ...]
    count: int
    outcomes: dict[Export, Outcome]
    ways: tuple[Way, ...] = ()
    spec: str = ""
    recorded: Recorded | None = field(default=None, repr=False)


@dataclass
class Report:
    """What became of a model.

    Attributes:
        model: what it is called.
        whole: what became of all of it, by export.
        notes: what could not be done, a sentence each.
        tried: how many calls were tried alone, by export.
        findings: the calls that are not right, in exports in which the model is not either.
        calls: all calls.
        untaken: the exporters that stop before they come to the calls, and why.
    """

    model: str
    whole: dict[Export, Outcome] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tried: dict[Export, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    calls: list[Recorded] = field(default_factory=list)
    untaken: dict[str, str] = field(default_factory=dict)

    @property
    def is_right(self) -> bool:
        """Whether the whole model is, in every export that was asked for."""
        return all(outcome.is_right for outcome in self.whole.values())


def exports(exporters: Sequence[str], opsets: Sequence[int]) -> tuple[list[Export], list[str]]:
    """The exports that there can be of these, and a note for each that there cannot."""
    found, notes = [], []
    for exporter in exporters:
        span = trial.EXPORTERS[exporter]
        for opset in dict.fromkeys(opsets):
            if opset in span:
                found.append(Export(exporter, opset))
            else:
                notes.append(
                    f"The {exporter} exporter writes opsets {span.start} to {span.stop - 1}, not "
                    f"{opset}: left out."
                )
    return found, notes


def scan(target: Target, wanted: Sequence[Export], progress: Progress) -> Report:
    """Tries every call of the model alone, and then the model, in each export."""
    report = Report(target.name)
    progress("the exporters are being imported")
    trial.ready()
    progress("the model runs")
    check_runs(target)
    seen, failed = _seen(target, {export.exporter for export in wanted}, progress)
    findings: dict[int, Finding] = {}
    asked = {export: seen.get(export.exporter, []) for export in wanted}
    report.tried = {export: len(recorded) for export, recorded in asked.items()}
    for export, call, outcome in _wrong(asked, progress):
        found = findings.setdefault(
            id(call),
            Finding(call.op, call.inputs, tuple(call.places), call.count, {}, recorded=call),
        )
        found.outcomes[export] = outcome
    report.calls = list({id(call): call for calls in seen.values() for call in calls}.values())
    order = {id(call): at for at, call in enumerate(report.calls)}
    report.findings = [findings[key] for key in sorted(findings, key=lambda key: order[key])]
    for finding in report.findings:
        finding.outcomes = {e: finding.outcomes[e] for e in wanted if e in finding.outcomes}
    report.whole = whole(target, wanted, progress)
    _note_untaken(report, failed)
    if not report.is_right and (kinds := target.kinds_in_training):
        report.notes.append(
            f"The model is in training mode, in which {listed(kinds)} is not what an exporter writes: "
            "return model.eval()."
        )
    for export, outcome in report.whole.items():
        if outcome.is_right:
            _leave_out(report, export)
        elif export.exporter not in report.untaken and report.tried[export]:
            report.notes += unlike_alone(report, {export: outcome})
    return report


def _note_untaken(report: Report, failed: Mapping[str, Exception]) -> None:
    """Says which exporters could not be asked for the calls; where that is why they do not export the
    model, that no spec helps.
    """
    for exporter, error in failed.items():
        own = {e: outcome for e, outcome in report.whole.items() if e.exporter == exporter}
        if not own:
            continue
        is_final = not isinstance(error, NotImplementedError)
        said = f"{_NAMES[exporter]} does not take the model"
        other = next(name for name in _NAMES if name != exporter)
        instead = f"; the calls that {_NAMES[other]} sees are tried instead" * (other not in failed)
        told = (
            said
            if is_final
            else f"What {_NAMES[exporter]} makes of the model cannot be looked into"
        )
        why = trial.said(error) if is_final else str(error)
        note = f"{told}{instead}: {why.rstrip('.')}."
        if is_final and not any(outcome.is_right for outcome in own.values()):
            report.untaken[exporter] = said
            report.whole |= dict.fromkeys(own, Outcome("export", said))
            is_way = any(o.is_right for e, o in report.whole.items() if e.exporter == other)
            way = f", or take the {other} exporter, in which it is right" * is_way
            note += f" No spec helps with that: change the model there{way}."
        report.notes.append(note)


def _leave_out(report: Report, export: Export) -> None:
    """What is not right alone, in an export in which the whole model is, is none of the user's affair."""
    wrong = [finding for finding in report.findings if finding.outcomes.pop(export, None)]
    report.findings = [finding for finding in report.findings if finding.outcomes]
    if wrong:
        ops = listed(list(dict.fromkeys(finding.op for finding in wrong)))
        report.notes.append(
            f"{export}: the model is right. A call of {ops} is not, alone: nothing to mend."
        )


def unlike_alone(report: Report, found: Mapping[Export, Outcome]) -> Iterator[str]:
    """A sentence for each export that is refused, or not right, though no call is so alone: with the
    lines of the operator that the refusal names.
    """
    for export, outcome in found.items():
        told = {f.op for f in report.findings if export in f.outcomes}
        named = [op for op, _ in trial.named(outcome)]
        calls = [call for call in report.calls if call.op in named and call.op not in told]
        places = list(dict.fromkeys(f"{p}: {p.code}" for call in calls for p in call.places))
        if calls:
            where = f" ({'; '.join(places)})" * bool(places)
            yield (
                f"{export}: {calls[0].op}{where} is right alone, where sizes are numbers, and refused in "
                "the model, where they may be computed of others. Give it numbers, as in int(x.shape[0])."
            )
        elif not told and not outcome.is_right and not outcome.why.startswith(trial.NO_TENSORS):
            yield (
                f"{export}: each call is right alone, and the model is not. Look for conditions and sizes "
                "that depend on values, and for orders of equal values, as in sorting."
            )


def whole(
    target: Target,
    wanted: Sequence[Export],
    progress: Progress,
    package: str = "",
    folder: str = "",
) -> dict[Export, Outcome]:
    """What becomes of the model in each export; ``package`` has rules, as in `trial.tried`."""
    works = [partial(_whole, target, export, package, folder) for export in wanted]
    found: dict[Export, Outcome] = {}
    progress(f"the whole model: {', '.join(map(str, wanted))}")
    for place, outcome in _outcomes(works, seconds=_SECONDS):
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
        progress(f"{_NAMES[exporter]} takes the model")
        try:
            with forks.quiet():
                found[exporter] = recorders[exporter](target)
        except Exception as error:  # noqa: BLE001 - the user's model, and exporters, raise anything
            failed[exporter] = error
    instead = list({call.kind: call for call in reversed(next(iter(found.values()), []))}.values())
    instead.reverse()
    seen = {exporter: found.get(exporter, instead) for exporter in _NAMES if exporter in exporters}
    return _joined(seen), failed


def _joined(found: dict[str, list[Recorded]]) -> dict[str, list[Recorded]]:
    """A call that both exporters see is one, so that what becomes of it stands together."""
    known: dict[tuple[str, str], Recorded] = {}
    joined: dict[str, list[Recorded]] = {}
    for exporter, recorded in found.items():
        kept = []
        for call in recorded:
            first = known.setdefault((str(call.overload), call.plain), call)
            kept.append(first)
        joined[exporter] = kept
    return joined


def _wrong(
    asked: Mapping[Export, Sequence[Recorded]], progress: Progress
) -> Iterator[tuple[Export, Recorded, Outcome]]:
    """The calls that are not right, alone. Most are, and an export takes longer than the calls in it: so
    they are tried many in one model, which is halved where it is not right.
    """
    jobs: list[tuple[Export, Sequence[Recorded]]] = []
    for export, recorded in asked.items():
        by_op = sorted(recorded, key=lambda call: call.op)
        jobs += [(export, by_op[at : at + _TOGETHER]) for at in range(0, len(by_op), _TOGETHER)]
    total, done = sum(map(len, asked.values())), 0
    while jobs:
        halves: list[tuple[Export, Sequence[Recorded]]] = []
        works = [partial(_together, many, export) for export, many in jobs]
        for place, outcome in _outcomes(works):
            export, many = jobs[place]
            is_settled = len(many) == 1 or outcome.kind == "right"
            if not is_settled:
                middle = len(many) // 2
                halves += [(export, many[:middle]), (export, many[middle:])]
                continue
            done += len(many)
            progress(f"{done} of {total} calls: {export}, {many[-1].op}")
            if not outcome.is_right:
                yield export, many[0], outcome
        jobs = halves


def _together(many: Sequence[Recorded], export: Export) -> Outcome:
    call = trial.together([each.call() for each in many])
    return trial.tried(call, export.exporter, export.opset)


def _whole(target: Target, export: Export, package: str, folder: str) -> Outcome:
    model = target.module if export.exporter == "TorchScript" else target.model
    call = trial.Call(model, target.args, target.kwargs)
    return trial.tried(call, export.exporter, export.opset, package, folder)


def _outcomes(
    works: Sequence[Callable[[], Any]], seconds: float = forks.SECONDS
) -> Iterator[tuple[int, Outcome]]:
    for place, answer in forks.each(works, seconds=seconds, at_once=os.cpu_count() or 1):
        yield place, trial.outcome(answer)
