"""A call that does not export → the ways out, each of them tried; and the package of all the specs."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from ..check.load import load, load_package
from ..errors import OnnxopError
from ..kernel.kinds import Source
from ..package import render
from ..spec.package import specs_in
from ..spec.tensors import SampleValue
from ..words.facts import Facts, asking
from . import forks, gallery, samples, starter, torchops, trial
from .calls import Recorded
from .report import Export, Finding, Progress, Report, Way
from .written import Written


@dataclass
class Specs:
    """The specs that help, by operator, and those that are still to be completed; why there is none."""

    helping: dict[str, Written] = field(default_factory=dict)
    unfinished: dict[str, Written] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


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
    proposed = {op: _own(op, file) for op, file in own.items()}
    for finding in findings:
        finding.spec = _known(finding, own)
        for op in gallery.with_needed(finding.spec) if finding.spec in gallery.specs() else ():
            if op not in proposed:
                proposed[op] = starter.write(op)
    _try(findings, proposed, specs, progress, requires)
    others = [f for f in findings if f.recorded and f.recorded.dtype and not _helps(f)]
    _float32(others, progress)
    others = [finding for finding in others if not _is_of_dtype(finding)]
    _try(others, proposed, specs, progress, requires, in_float32=True)
    hopeful = [
        finding
        for finding in findings
        if any(export.exporter not in report.untaken for export in finding.outcomes)
        and not _is_of_dtype(finding)
    ]
    rest: dict[str, Written] = {}
    for finding in hopeful:
        if not _helps(finding) and finding.spec not in own:
            finding.spec = _of_starter(*_names(finding))
        if finding.spec in specs.helping or finding.spec in rest or finding.spec in own:
            continue
        progress(f"a starter for {finding.op}")
        try:
            rest[finding.spec] = _starter(finding, report.calls, requires)
        except OnnxopError as error:
            specs.refused[finding.spec] = str(error)
    _try(findings, rest, specs, progress, requires, in_float32=True)
    for finding in hopeful:
        _note_rest(finding, rest, specs, own, report.untaken, requires)
    wanted = {op for finding in hopeful for op in gallery.with_needed(finding.spec)}
    specs.helping = {op: written for op, written in specs.helping.items() if op in wanted}
    return specs


def _by_kind(findings: Sequence[Finding], find_ways: Callable[[Sequence[Finding]], None]) -> None:
    """Finds ways for the calls; of one operator's in another dtype than float32, which ONNX Runtime takes or
    does not, whatever the sizes are, for the others where there is one for the first.
    """
    kinds: dict[object, list[Finding]] = {}
    for finding in findings:
        dtype = finding.recorded.dtype if finding.recorded else ""
        key = (finding.op, dtype, *finding.outcomes) if dtype else id(finding)
        kinds.setdefault(key, []).append(finding)
    before = {id(alike[0]): alike[0].ways for alike in kinds.values()}
    find_ways([alike[0] for alike in kinds.values()])
    find_ways(
        [f for first, *rest in kinds.values() if first.ways != before[id(first)] for f in rest]
    )


def _names(finding: Finding) -> tuple[str, str]:
    """The operator, and the overload's name."""
    return finding.op, finding.recorded.word if finding.recorded else ""


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
    op, overload = _names(finding)
    mine = next((key for key in (f"{op}.{overload}", op) if key in own), None)
    asked = (key for outcome in finding.outcomes.values() for key in named_ops(outcome))
    return mine or gallery.find(op, overload) or next(asked, None) or _same(finding) or op


def _same(finding: Finding) -> str | None:
    """The gallery's spec of the one operator that PyTorch makes the call of."""
    called = finding.recorded.called() if finding.recorded else []
    return gallery.find(*called[0]) if len(called) == 1 else None


def _helps(finding: Finding) -> bool:
    """Whether a spec was found to."""
    return any(way.kind in _TEXTS for way in finding.ways)


def _is_of_dtype(finding: Finding) -> bool:
    """Whether it is right in float32."""
    return any(way.kind == "float32" for way in finding.ways)


def own_specs(folder: Path | None) -> dict[str, Path]:
    """The specs that are in a folder already, by operator."""
    if folder is None or not folder.is_dir():
        return {}
    return {load(file).schema.title: file for file in specs_in(folder)}


def package_of(files: Iterable[Path]) -> str:
    """The package's name, where a spec gives it; else empty."""
    packages = (load(file).package for file in files)
    return next((package.name for package in packages if "name" in package.given), "")


def _own(op: str, file: Path) -> Written:
    return Written(op, file.read_text(encoding="utf-8"), "own", is_proved=False)


_MOST_SAMPLES = 4  # of a starter


def _starter(finding: Finding, seen: Sequence[Recorded], requires: Sequence[str]) -> Written:
    """A starter, whose samples are what the model gives the call, and others of its operator; the first
    alone, where no spec can have all of them.
    """
    assert finding.recorded is not None
    recorded = finding.recorded.in_float32()
    overload = recorded.overload
    try:
        is_complex = trial.is_complex(recorded.call())
    except Exception as error:
        raise OnnxopError(
            f"{finding.op}: PyTorch does not take the call alone: {trial.said(error)}"
        ) from error
    if is_complex:
        raise OnnxopError(
            f"{finding.op}: ONNX Runtime computes with no complex numbers; write the model with their "
            "real and imaginary parts"
        )
    alike = [call.in_float32() for call in seen if call.overload == overload]
    others: list[dict[str, SampleValue]] = []
    values = _sample(recorded)
    for other in alike:
        found = _sample(other)
        if values and found and found not in (values, *others) and len(others) + 1 < _MOST_SAMPLES:
            others.append(found)
    word = overload._schema.overload_name
    needed = _needed(finding.op, requires)
    word = word if word in torchops.schemas(finding.op, needed) else ""
    try:
        made = starter.starter(finding.op, word, needed, values, others=others)
    except OnnxopError:
        made = starter.starter(finding.op, word, needed, values)
    return replace(made, op=finding.spec)


def _sample(recorded: Recorded) -> dict[str, SampleValue] | None:
    """What the model gives the call; None where a sample cannot hold it."""
    import torch

    values: dict[str, SampleValue] = {}
    schema = recorded.overload._schema
    kinds = {argument.name: str(argument.real_type) for argument in schema.arguments}
    for name, value in recorded.arguments().items():
        is_number = "Tensor" in kinds[name] and isinstance(value, bool | int | float)
        if "ScalarType" in kinds[name] and isinstance(value, int):  # as a trace has it
            value = torch.ops.aten.empty([0], dtype=value).dtype
        sample = samples.recorded(torch.tensor(value) if is_number else value)
        if sample is None and value is not None:
            return None
        if sample is not None and value is not None:
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
    above = {
        (id(finding), export): [
            opset for opset in trial.EXPORTERS[export.exporter] if opset > export.opset
        ]
        for finding in findings
        for export in finding.outcomes
    }
    by_id = {id(finding): finding for finding in findings}
    highest = [
        (by_id[key], export, opsets[-1]) for (key, export), opsets in above.items() if opsets
    ]
    right: dict[tuple[int, Export], list[int]] = {}
    rest = []
    for (finding, export, opset), outcome in _tried(highest, progress, "the highest opset"):
        if outcome.is_right:
            right.setdefault((id(finding), export), []).append(opset)
        if not _has_no_rule(outcome, finding.outcomes[export]):
            others = above[id(finding), export][:-1]
            rest += [(finding, export, other) for other in others]
    for (finding, export, opset), outcome in _tried(rest, progress, "higher opsets"):
        if outcome.is_right:
            right.setdefault((id(finding), export), []).append(opset)
    for finding in findings:
        for export in finding.outcomes:
            if opsets := right.get((id(finding), export)):
                text = f"opset {min(opsets)} of the {export.exporter} exporter"
                finding.ways += (Way("opset", text, (str(export),)),)


def _has_no_rule(outcome: trial.Outcome, before: trial.Outcome) -> bool:
    """Whether an exporter refuses the same operators as at a lower opset."""
    names = trial.named(outcome)
    return outcome.kind == before.kind == "export" and bool(names) and names == trial.named(before)


def _other_exporters(
    findings: Sequence[Finding], frozen: Collection[str], progress: Progress
) -> None:
    """The other exporter at the same opset, but those that are right for the model's values alone."""
    jobs = []
    for finding in findings:
        for export in finding.outcomes:
            other = next(name for name in trial.EXPORTERS if name != export.exporter)
            is_known = replace(export, exporter=other) in finding.outcomes
            if export.opset in trial.EXPORTERS[other] and not is_known and other not in frozen:
                jobs.append((finding, replace(export, exporter=other), export.opset))
    for (finding, instead, opset), outcome in _tried(jobs, progress, "the other exporter"):
        if outcome.is_right:
            fixed = next(str(e) for e in finding.outcomes if e.opset == opset)
            finding.ways += (Way("exporter", f"the {instead.exporter} exporter", (fixed,)),)


def _float32(findings: Sequence[Finding], progress: Progress) -> None:
    """The same exports in float32, of calls that have floats of other dtypes."""
    jobs = [(f, export, export.opset) for f in findings for export in f.outcomes]
    fixed: dict[int, list[Export]] = {}
    for (finding, export, _), outcome in _tried(jobs, progress, "float32", in_float32=True):
        if outcome.is_right:
            fixed.setdefault(id(finding), []).append(export)
    for finding in findings:
        if found := fixed.get(id(finding)):
            text = "float32, in which it is right: return model.float(), and inputs in float32"
            finding.ways += (Way("float32", text, tuple(sorted(map(str, found)))),)


def _tried(
    jobs: Sequence[tuple[Finding, Export, int]],
    progress: Progress,
    what: str,
    rules: Mapping[str, trial.Rules] | None = None,
    *,
    in_float32: bool = False,
) -> Iterator[tuple[tuple[Finding, Export, int], trial.Outcome]]:
    """Try the calls; ``rules`` are those of specs, by what these are found by."""
    known = rules or {}
    works = [
        partial(
            _alone,
            finding,
            export.exporter,
            opset,
            known.get(finding.spec, trial.STOCK),
            in_float32=in_float32,
        )
        for finding, export, opset in jobs
    ]
    for number, (place, answer) in enumerate(forks.each(works, at_once=os.cpu_count() or 1), 1):
        progress(f"{what}: {number} of {len(jobs)}")
        yield jobs[place], trial.outcome(answer)


def _alone(
    finding: Finding, exporter: str, opset: int, rules: trial.Rules, *, in_float32: bool
) -> trial.Outcome:
    assert finding.recorded is not None
    call = finding.recorded.in_float32() if in_float32 else finding.recorded
    return trial.tried(call.call(), exporter, opset, rules)


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
    jobs = [
        (finding, export, export.opset)
        for finding in findings
        if finding.spec in rules
        for export in finding.outcomes
    ]
    fixed: dict[int, list[str]] = {}
    for (finding, export, _), outcome in _tried(
        jobs, progress, "specs", rules, in_float32=in_float32
    ):
        if outcome.is_right:
            fixed.setdefault(id(finding), []).append(str(export))
    for finding in findings:
        if found := fixed.get(id(finding)):
            written = proposed[finding.spec]
            specs.helping |= {op: proposed[op] for op in gallery.with_needed(finding.spec)}
            kind = written.origin if written.origin in ("gallery", "own") else "starter"
            text = _TEXTS[kind].format(_asked(finding.spec, requires))
            if in_float32 and finding.recorded and finding.recorded.dtype:
                text += ", and float32"
            finding.ways += (Way(kind, text, tuple(sorted(found))),)


def _asked(op: str, requires: Sequence[str]) -> str:
    """What to give ``onnxop new --from``."""
    return " --requires ".join([op, *_needed(op, requires)])


_TEXTS = {
    "gallery": "the gallery's spec: onnxop new --from {0}",
    "own": "your spec of {0}",
    "starter": "a starter: onnxop new --from {0}",
}


def _rules(op: str, proposed: Mapping[str, Written]) -> trial.Rules:
    """The spec's, and those of the specs that it needs."""
    needed = gallery.with_needed(op) if proposed[op].origin == "gallery" else [op]
    return trial.Rules(specs=tuple(proposed[each].text for each in needed if each in proposed))


def make(specs: Sequence[Path], destination: Path, name: str) -> render.Written:
    """The package of the specs in these files, or in one folder, with the kernels beside them.

    Raises:
        OnnxopError: they are wrong, or do not go together, or it cannot be written.
    """
    with asking(Facts()) as facts:
        spec = load_package(specs, name, is_new=True)
    return render.render(spec, facts.answers, destination, force=True, takes_kernels=True)


def write_kernels(folder: Path, name: str) -> Iterator[Path]:
    """Writes the first versions of the kernels that specs in a folder have none for yet, beside them, as
    in the package of that name; gives the files.
    """
    for file in specs_in(folder):
        spec = load(file)
        if not isinstance(spec.kernel, Source) or spec.kernel.text is not None:
            continue
        with tempfile.TemporaryDirectory(prefix="onnxop-kernel-") as scratch:
            own = spec.package.name if "name" in spec.package.given else name
            make([file], Path(scratch, "package"), own)
            header = folder / spec.kernel.file
            shutil.copy(Path(scratch, "package", spec.written_by_hand), header)
        yield header


def _note_rest(
    finding: Finding,
    rest: Mapping[str, Written],
    specs: Specs,
    own: Mapping[str, Path],
    untaken: Collection[str],
    requires: Sequence[str],
) -> None:
    """What is left to say where nothing that was tried makes the call right in an export."""
    fixed = {export for way in finding.ways for export in way.fixes}
    open_ones = [export for export in finding.outcomes if export.exporter not in untaken]
    left = tuple(str(export) for export in open_ones if str(export) not in fixed)
    if not left:
        return
    written = rest.get(finding.spec)
    if written is not None and finding.spec not in specs.helping:
        specs.unfinished[finding.spec] = written
        what = f"complete a starter: onnxop new --from {_asked(finding.spec, requires)}"
        finding.ways += (Way("unfinished", what, left),)
    elif finding.spec in specs.refused:
        why = specs.refused[finding.spec]
        finding.ways += (Way("none", f"no spec: {why.removeprefix(f'{finding.op}: ')}", left),)
    elif finding.spec in own and load(own[finding.spec]).is_native:
        what = f"your spec of {finding.spec}, whose kernel --build compiles and tries"
        finding.ways += (Way("own", what, left),)
    else:
        finding.ways += (Way("none", "the spec that there is does not help with this call", left),)


def named_ops(outcome: trial.Outcome) -> list[str]:
    """The operators that an exporter's refusal names, by what the gallery has their specs by."""
    keys = (gallery.find(name, overload) for name, overload in trial.named(outcome))
    return list(dict.fromkeys(key for key in keys if key is not None))
