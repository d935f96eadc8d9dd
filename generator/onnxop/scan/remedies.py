"""A call that does not export → the remedies, each one tried."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from onnxop_runtime.exporting.replacement import namespaces
from onnxop_runtime.messages import join_words
from onnxop_runtime.torch_internals import schema_of

from ..check.load import load
from ..errors import OnnxopError
from ..find import gallery, torchops
from ..spec.tensors import SampleValue
from ..starter import own_functions, sample_values, starter
from ..starter.starter import Starter
from ..trial import places, trial
from ..trial.call import has_complex
from ..trial.outcome import Outcome
from . import branches, notes, stops, tries
from .calls import Recorded
from .report import Export, Finding, Progress, Remedy, Report
from .stops import Stopped
from .tries import Try

_MOST_SAMPLES = 4  # of a starter
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


def find(
    report: Report,
    own: Mapping[str, Path],
    progress: Progress,
    requires: Sequence[str] = (),
) -> Specs:
    """Add the remedies to the findings, try the model with the specs that help, and return the specs. ``own`` are the
    user's specs, by operator, which precede the gallery's. ``requires`` are modules that register operators. Findings of
    one cause become one.
    """
    specs = Specs()
    if report.stopped:
        return specs
    try:
        _add_remedies(report, own, progress, requires, specs)
    except Stopped as stopped:
        stops.end()
        report.stopped = str(stopped)
    report.findings = _merged(report.findings)
    return specs


def _merged(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, those of one operator with equal kinds of outcomes and equal remedies as one."""
    merged: dict[object, Finding] = {}
    for finding in findings:
        kinds = frozenset((export, outcome.kind) for export, outcome in finding.outcomes.items())
        first = merged.setdefault((finding.op, kinds, finding.remedies), finding)
        if first is not finding:
            first.alike.append(finding.call)
    return [*merged.values()]


def _add_remedies(
    report: Report,
    own: Mapping[str, Path],
    progress: Progress,
    requires: Sequence[str],
    specs: Specs,
) -> None:
    findings = report.findings
    _higher_opsets(findings, progress)
    _other_exporters(report, progress)
    proposed = {op: _proposed(op, own) for op in own}
    for finding in findings:
        finding.spec = _known(finding, own)
        for op in gallery.with_needed(finding.spec) if finding.spec in gallery.specs() else ():
            if op not in proposed:
                proposed[op] = _proposed(op, own)
    _try(findings, proposed, specs, progress, requires)
    seen = [call for calls in report.calls.values() for call in calls]
    starters: dict[str, Starter] = {}
    for finding in findings:
        if (
            finding.has_remedy(*_TEXTS)
            or finding.spec in own
            or finding.op in notes.FACTS["instead"]
            or notes.draws(finding.call)
        ):
            continue
        finding.spec = finding.op
        if finding.op in (*specs.helping, *starters, *specs.refused):
            continue
        progress(f"writing a starter for {finding.op}")
        try:
            _check_helps(finding, report)
            starters[finding.op] = _starter(finding, seen, requires)
        except OnnxopError as error:
            specs.refused[finding.op] = str(error)
    _try(findings, starters, specs, progress, requires)
    blocked = {export for export in report.whole if not _has_way(report, export)}
    for finding in findings:
        _note_rest(finding, starters, specs, own, requires, blocked)
    for export, outcome in report.whole.items():
        if outcome.is_right or (
            export.exporter in report.untaken and export.exporter not in report.unread
        ):
            continue
        if export.exporter in report.unread:
            _try_named(report, export, own, specs, progress)
        elif not any(export in finding.outcomes for finding in findings):
            _try_on_whole(report, export, own, specs, progress)
        elif export not in blocked and not starters:
            ops = [*specs.helping]
            became = report.with_specs[export] = _with(ops, report, export, own, progress)
            if not became.is_right:
                text = f"{export}: the specs for {join_words(ops)} fix these calls, but not the model: {became}."
                report.notes.append(text)
    _replace_functions(report, specs)


def _try_named(
    report: Report, export: Export, own: Mapping[str, Path], specs: Specs, progress: Progress
) -> None:
    """Try the specs of the operators that errors of the whole model name, one after another, and note what became of
    it. No call of such a model can be tried alone.
    """
    became = report.whole[export]
    keys: list[str] = []
    while len(keys) < _MOST_NAMED and not became.is_right:
        named = [op if op in own else gallery.find(op, overload) for op, overload in became.named]
        new = [key for key in named if key and key not in keys and _proposed(key, own).is_pure]
        if not new:
            break
        keys += new
        became = _with(keys, report, export, own, progress)
    if not keys:
        return
    report.with_specs[export] = became
    if became.is_right:
        specs.helping |= {op: _proposed(op, own) for key in keys for op in gallery.with_needed(key)}
        asked = "; ".join(_TEXTS["own" if key in own else "gallery"].format(key) for key in keys)
        report.notes.append(f"{export}: the model is right with {asked}.")
    else:
        report.notes.append(
            f"{export}: with the specs for {join_words(keys)}, the model fails: {became}."
        )


def _has_way(report: Report, export: Export) -> bool:
    """Return whether the model is right in the export, or may be with specs that fix each call."""
    wrong = [finding.remedies for finding in report.findings if export in finding.outcomes]
    fixed = [any(r.kind in _TEXTS and str(export) in r.fixes for r in all_) for all_ in wrong]
    is_taken = export.exporter not in report.untaken
    return report.whole[export].is_right or (is_taken and bool(wrong) and all(fixed))


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
        asked = ":".join(called.name.removesuffix(".apply").rsplit(".", 1))
        called.remedy = (
            f"write a spec, {spec.file}, with --write, or with onnxop new --from {asked} --model "
            f"{report.model}. Replace the function by its op while you export, as --build does: "
            f'onnxop_runtime.replaced({{"{called.name}": my_ops.{called.op}}})'
        )


def _known(finding: Finding, own: Mapping[str, Path]) -> str:
    """Return the key of the call's spec: the user's, the gallery's, or the gallery's of an operator that an
    exporter names or that the call is an alias of; else the operator.
    """
    op, overload = finding.op, finding.call.overload_name
    asked = [name for outcome in finding.outcomes.values() for name in outcome.named]
    called = finding.call.called()
    names = [(op, overload), *asked, *called * (len(called) == 1)]
    keys = (gallery.find(*name) for name in names)
    return _own(finding.call, own) or next(filter(None, keys), op)


def _own(call: Recorded, own: Mapping[str, Path]) -> str | None:
    """Return the key of the user's spec of a call, or None."""
    return next((key for key in (f"{call.op}.{call.overload_name}", call.op) if key in own), None)


def _proposed(op: str, own: Mapping[str, Path]) -> Starter:
    """Return the user's spec of an operator, or the gallery's."""
    if op in own:
        return Starter(op, own[op].read_text(encoding="utf-8"), "own", is_proved=False)
    return starter.write(op)


def _higher_opsets(findings: Sequence[Finding], progress: Progress) -> None:
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
    for one in _right(jobs, progress, "higher opsets"):
        lowest[jobs[one]] = min(one.export.opset, lowest.get(jobs[one], one.export.opset))
    for (finding, export), opset in lowest.items():
        text = f"opset {opset} of the {export.exporter} exporter"
        finding.remedies += (Remedy("opset", text, (str(export),)),)


def _other_exporters(report: Report, progress: Progress) -> None:
    """Find the calls that pass in the other exporter at the same opset, if that one was requested."""
    jobs = {
        Try(finding.call, export.other): (finding, export)
        for finding in report.findings
        for export in finding.outcomes
        if export.other in report.whole
    }
    known = [one for one in jobs if (one.call, one.export) in report.alone]
    right = [one for one in known if report.alone[one.call, one.export].is_right]
    rest = [one for one in jobs if one not in known]
    for one in (*right, *_right(rest, progress, "the other exporter")):
        finding, export = jobs[one]
        text = f"the {one.export.exporter} exporter{_once(report, one.export.exporter)}"
        finding.remedies += (Remedy("exporter", text, (str(export),)),)


def _once(report: Report, exporter: str) -> str:
    """Return what has to change before the exporter takes the model, as text."""
    if exporter not in report.untaken or exporter in report.unread:
        return ""
    place = report.stops.get(exporter)
    return f", once it passes {place}" if place else ", once it can trace the model"


def _try(
    findings: Sequence[Finding],
    proposed: Mapping[str, Starter],
    specs: Specs,
    progress: Progress,
    requires: Sequence[str],
) -> None:
    """Try the specs on the calls, registered with those that they need, and add those that help."""
    jobs: dict[Try, Finding] = {}
    for finding in findings:
        if finding.spec in proposed and not finding.has_remedy(*_TEXTS):
            needed = [op for op in gallery.with_needed(finding.spec) if op in proposed]
            if all(proposed[op].is_pure for op in needed):
                texts = tuple(proposed[op].text for op in needed)
                jobs |= {Try(finding.call, export, texts): finding for export in finding.outcomes}
    fixed: dict[Finding, list[str]] = {}
    for one, outcome in tries.try_each([*jobs], progress, "specs"):
        finding = jobs[one]
        if outcome.is_right:
            fixed.setdefault(finding, []).append(str(one.export))
        else:
            kind = _KINDS.get(proposed[finding.spec].origin, "a starter")
            finding.failed[f"{kind} for {finding.spec}"] = outcome
    for finding in findings:
        if finding in fixed:
            origin = proposed[finding.spec].origin
            needed = [op for op in gallery.with_needed(finding.spec) if op in proposed]
            specs.helping |= {op: proposed[op] for op in needed}
            kind = origin if origin in _TEXTS else "starter"
            text = _TEXTS[kind].format(_asked(finding.spec, finding.call, requires))
            finding.remedies += (Remedy(kind, text, tuple(sorted(fixed[finding]))),)


def _with(
    ops: Sequence[str], report: Report, export: Export, own: Mapping[str, Path], progress: Progress
) -> Outcome:
    """Return the outcome for the model with the specs of operators and those that they need."""
    progress(f"trying the specs for {join_words(ops)} on the model")
    needed = dict.fromkeys(key for op in ops for key in gallery.with_needed(op))
    texts = [spec.text for op in needed if (spec := _proposed(op, own)).is_pure]
    rules = trial.Rules(specs=tuple(texts))
    return branches.try_exports(report, [export], progress, rules)[export]


def _try_on_whole(
    report: Report, export: Export, own: Mapping[str, Path], specs: Specs, progress: Progress
) -> None:
    """Try specs on a model that fails though each call alone passes: those of the calls that the refusal
    names, or of all. Add the fewest that help, by halving, to findings of their calls.
    """
    outcome, context = report.whole[export], (report, export, own, progress)
    by_spec: dict[str, list[Recorded]] = {}
    for call in report.calls[export.exporter]:
        key = _own(call, own) or gallery.key_of(call.op, call.overload_name)
        if key and _proposed(key, own).is_pure:
            by_spec.setdefault(key, []).append(call)
    named = [key for key, (call, *_) in by_spec.items() if call.op in dict(outcome.named)]
    keys, note = named or [*by_spec], f"{export}: {notes.ALONE}"
    if not keys or outcome.cause in ("model", "specialised"):
        return
    became = report.with_specs[export] = _with(keys, *context)
    if not became.is_right:
        tried = f" The specs for {join_words(named)} do not help: {became}."
        report.notes = [n + tried * (n.startswith(note) and bool(named)) for n in report.notes]
        return
    while len(keys) > 1:
        halves = keys[: len(keys) // 2], keys[len(keys) // 2 :]
        half = next((half for half in halves if _with(half, *context).is_right), None)
        if half is None:
            break
        keys = half
    report.notes = [n for n in report.notes if not n.startswith(note)]
    in_model = Outcome(outcome.kind, f"in the whole model: {outcome.why}")
    for key in keys:
        kind = "own" if key in own else "gallery"
        remedy = Remedy(kind, _TEXTS[kind].format(key), (str(export),))
        report.findings += [Finding(c, {export: in_model}, (remedy,), key) for c in by_spec[key]]
        specs.helping |= {op: _proposed(op, own) for op in gallery.with_needed(key)}


def _right(jobs: Collection[Try], progress: Progress, label: str) -> Iterator[Try]:
    """Yield the tries that pass."""
    return (one for one, out in tries.try_each([*jobs], progress, label) if out.is_right)


def _check_helps(finding: Finding, report: Report) -> None:
    """Raise OnnxopError if no spec can help, as the exporters refuse the model for another reason."""
    plain = finding.op.partition("::")[2].strip("_")
    told = [report.untaken.get(export.exporter, plain) for export in finding.outcomes]
    if not any(plain in text for text in told):
        fact = "first change the model so that the exporter can trace it; see the note below"
        raise OnnxopError(f"{finding.op}: {fact}")


def _starter(finding: Finding, seen: Sequence[Recorded], requires: Sequence[str]) -> Starter:
    """Return a starter with samples from the model's calls of the operator, or from this call alone if no
    spec can have all of them.
    """
    call = finding.call
    if "out" in call.arguments():
        raise OnnxopError(
            f"{call.op}: it writes to the tensor of out=, which exporters do not follow; use the result that it returns"
        )
    tensors = [*call.call().tensors, *call.call().results()]
    others = {x.dtype for x in tensors if x.is_floating_point() and x.dtype != torch.float32}
    if others:
        dtype = join_words(str(other).removeprefix("torch.") for other in others)
        raise OnnxopError(
            f"{call.op}: it computes in {dtype}, for which ONNX Runtime has fewer kernels than for float32; "
            "scan model.float(), with float32 inputs"
        )
    if has_complex(tensors):
        dynamo = [o for e, o in finding.outcomes.items() if e.exporter == "dynamo"]
        if dynamo and not any(outcome.has_no_rule for outcome in dynamo):
            raise OnnxopError(
                f"{call.op}: specs do not support complex tensors, and the dynamo exporter, which writes "
                "pairs of real numbers, fails as above; compute with real and imaginary parts in the model"
            )
        raise OnnxopError(
            f"{call.op}: ONNX Runtime does not support complex tensors; compute with real and imaginary "
            "parts in the model"
        )
    alike = [call, *(other for other in seen if other.overload == call.overload)]
    samples: list[dict[str, SampleValue]] = []
    for other in alike:
        sample = _sample(other)
        if sample and sample not in samples:
            samples.append(sample)
    needed = _needed(call.op, call, requires)
    overload = call.overload_name if call.overload_name in torchops.schemas(call.op, needed) else ""
    try:
        return starter.starter(call.op, overload, needed, samples[:_MOST_SAMPLES])
    except OnnxopError:
        return starter.starter(call.op, overload, needed, samples[:1])


def _sample(recorded: Recorded) -> dict[str, SampleValue] | None:
    """Return the call's arguments as a sample, or None if a sample cannot hold them."""
    values: dict[str, SampleValue] = {}
    schema = schema_of(recorded.overload)
    kinds = {argument.name: str(argument.real_type) for argument in schema.arguments}
    for name, value in recorded.arguments().items():
        is_number = "Tensor" in kinds[name] and isinstance(value, bool | int | float)
        sample = sample_values.recorded(torch.tensor(value) if is_number else value)
        if sample is None:
            return None
        if value is not None:
            values[name] = sample
    return values


def _needed(op: str, call: Recorded, requires: Sequence[str]) -> Sequence[str]:
    """Return the modules that register the operator, if it is the user's or of a model library: those that are required,
    and the one that makes the call, if its source has the operator's name.
    """
    namespace = op.partition("::")[0]
    if namespace == "aten" or torchops.modules(namespace):
        return ()
    files = {places.innermost(place)[0] for place in call.places}
    registering = {file for file in files if op in "".join(places.source_lines(file))}
    loaded = ((name, namespaces.attributes(module)) for name, module in [*sys.modules.items()])
    modules = [name for name, held in loaded if held.get("__file__") in registering]
    return tuple(dict.fromkeys([*requires, *modules]))


def _asked(op: str, call: Recorded, requires: Sequence[str]) -> str:
    """Return the arguments for ``onnxop new --from``."""
    return " --requires ".join([op, *_needed(op, call, requires)])


def _note_rest(
    finding: Finding,
    starters: Mapping[str, Starter],
    specs: Specs,
    own: Mapping[str, Path],
    requires: Sequence[str],
    blocked: Collection[Export],
) -> None:
    """Add a note for the exports in which nothing that was tried helps. To use the other exporter does not
    if that one is ``blocked``: the model has calls there without a remedy.
    """
    stuck = {str(export) for export in finding.outcomes if export.other in blocked}
    fixed = {
        export
        for remedy in finding.remedies
        for export in remedy.fixes
        if remedy.kind != "exporter" or export not in stuck
    }
    rest = {str(e): out.why for e, out in finding.outcomes.items() if str(e) not in fixed}
    left = tuple(export for export, why in rest.items() if _IN_PAIRS not in why)
    if len(left) < len(rest):
        text = (
            "no spec helps: in the model, call pack_padded_sequence and pad_packed_sequence, both"
        )
        finding.remedies += (Remedy("none", text, tuple(e for e in rest if e not in left)),)
    if not left:
        return
    reasons = {f"does not help: {why}": spec for spec, why in [*finding.failed.items()][::-1]}
    failed = "; ".join(f"{spec} {why}" for why, spec in reasons.items())
    kind, text = "none", failed or "the existing spec does not help with this call"
    is_decomposed = finding.spec in starters and starters[finding.spec].origin == "decomposed"
    if finding.spec in starters and finding.spec not in specs.helping and not is_decomposed:
        specs.unfinished[finding.spec] = starters[finding.spec]
        kind = "unfinished"
        text = (
            f"complete a starter: onnxop new --from {_asked(finding.spec, finding.call, requires)}"
        )
        text += f"; {failed}" if failed else ""
    elif finding.spec in specs.refused:
        text = specs.refused[finding.spec].removeprefix(f"{finding.op}: ")
    elif finding.spec in own and load(own[finding.spec]).is_native:
        kind = "own"
        text = f"your spec for {finding.spec}; --build compiles its kernel and tries it"
    elif notes.draws(finding.call):
        kind = "rewrite"
        text = (
            "in the model, draw the numbers once and keep them in a buffer, or make them an input"
        )
    elif finding.op in notes.FACTS["instead"]:
        kind, text = "rewrite", f"in the model, {notes.FACTS['instead'][finding.op]}"
    if kind in ("none", "unfinished"):
        hints = "".join(dict.fromkeys(notes.switches(place) for place in finding.places))
        text = f"{text.rstrip('.')}.{hints}" if hints else text
    finding.remedies += (Remedy(kind, text, left),)
