"""A model → its operator calls that do not export correctly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from onnxop_runtime import processes

from ..trial import trial
from ..trial.fresh import FreshProcess
from ..trial.outcome import Outcome
from ..trial.places import Place
from . import stopping
from .calls import own_functions
from .calls.kept_sides import kept_sides
from .calls.model_calls import calls_at_several_inputs, joined, trace_model
from .calls.own_functions import OwnFunctionCall
from .calls.recorded_calls import Recorded
from .causes import explanation, one_side, trace_constants, unknown_nodes
from .causes.first_difference import PACK, PAD
from .model import export_only, sizes
from .model.exports import Export, Progress
from .model.target import Target, TargetError, check_runs
from .model.written_buffers import written_buffers
from .remedies.last_remedies import IN_PAIRS
from .report.findings import Finding
from .report.report import KeptLines, Report, ScanObserver, SingleCalls
from .source import sides
from .stopping import Stopped
from .tries import branches, single_calls, whole
from .tries.single_calls import Try

_LIMITS = processes.Limits(seconds=600.0)  # to run the model
_PACKED = "data"  # the overload of aten::lstm, aten::gru and aten::rnn_tanh for packed sequences


def exports(exporters: Sequence[str], opsets: Sequence[int]) -> tuple[list[Export], list[str]]:
    """Return the supported exports, and a note for each unsupported one."""
    supported, left_out = [], []
    for exporter in exporters:
        span = trial.EXPORTERS[exporter]
        for opset in dict.fromkeys(opsets):
            if opset in span:
                supported.append(Export(exporter, opset))
            else:
                left_out.append(
                    f"--opset {opset}: left out for the {exporter} exporter, which supports "
                    f"{span.start} to {span.stop - 1}."
                )
    return supported, left_out


def scan_model(
    target: Target,
    exports_to_try: Sequence[Export],
    progress: Progress,
    *,
    is_static: bool = False,
    observer: ScanObserver | None = None,
) -> Report:
    """Try the model in each export, with other inputs, too, unless ``is_static``. Where it fails,
    try each of its calls alone. If `Stopped` is raised meanwhile, the report has what is known.
    ``observer`` is called with what is known meanwhile.
    """
    report = Report(target.name, target=target)
    observer = observer or ScanObserver()
    try:
        report.target = _with_other_inputs(target, progress, is_static=is_static)
        call = report.target.call("dynamo")
        report.written_buffers = _in_fork(partial(written_buffers, call), target)
        _try_whole_model(report, exports_to_try, progress, observer)
        report.traced = trace_model(report.target, progress)
        _try_other_branches(report, progress, observer)
        report.functions = [] if report.is_right else _own_functions(report.target)
        report.alone = _calls_to_try(report)
        _try_calls_alone(report, progress, observer)
        with processes.quiet():  # what the model prints, as it is run and traced
            _explain(report)
    except Stopped as stopped:
        stopping.end()
        report.stopped = str(stopped)
        report.findings = _findings(report)
    report.notes[:0] = trace_constants.notes(report)
    return report


def _with_other_inputs(target: Target, progress: Progress, *, is_static: bool) -> Target:
    """Return the model with a process of its own, and with inputs of other sizes and values unless
    ``is_static``.
    """
    progress("importing the exporters")
    trial.warm_up_exporters()
    target = replace(target, process=FreshProcess(target.objects))
    progress("running the model")
    _in_fork(partial(_check_runs, target), target)
    if is_static:
        return target
    progress("looking for inputs of other sizes and values")
    return replace(target, **_in_fork(partial(_other_inputs, target), target))


def _try_whole_model(
    report: Report, exports_to_try: Sequence[Export], progress: Progress, observer: ScanObserver
) -> None:
    """Add the outcome of each export of the whole model."""
    assert report.target is not None
    whole.try_exports(report.target, exports_to_try, progress, into=report.whole)
    report.target = report.target.with_sizes_beyond(report.whole.values())
    if not report.right_exports:
        with suppress(TargetError):
            only = _in_fork(partial(_export_only, report.target), report.target)
            report.target = replace(report.target, export_only=only)
        whole.try_runtime(report.target, progress, report.whole)
    observer.whole(report)


def _try_other_branches(report: Report, progress: Progress, observer: ScanObserver) -> None:
    """Try right exports by `torch.jit.trace` with inputs that reach another side of a condition than
    the one that it keeps.
    """
    assert report.target is not None
    report.kept = KeptLines(tuple(kept_sides(report.traced, report.target)))
    right = report.right_exports
    report.whole |= branches.outcomes(report, progress)
    if right and not report.right_exports:
        whole.try_runtime(report.target, progress, report.whole)
        report.whole |= branches.outcomes(report, progress)
    if right != report.right_exports:
        observer.whole(report)


def _calls_to_try(report: Report) -> SingleCalls:
    """Return the calls at several inputs, of the exporters in which the model fails for these, and
    the outcomes of calls in the exports that have the model right.
    """
    assert report.target is not None
    at_several: dict[str, list[Recorded]] = {}
    lines: dict[str, Place] = {}
    for export in _exports_for_several_inputs(report):
        recorded, stop = calls_at_several_inputs(report.target, export.exporter)
        if stop is not None:
            lines[export.exporter] = stop
        if not recorded and report.whole[export].cause == "values":
            at_own_sizes = replace(report.target, sizes=())
            recorded, _ = calls_at_several_inputs(at_own_sizes, export.exporter)
        at_several[export.exporter] = joined(recorded, report.traced.calls.values())
    every = _all_calls(at_several, report.traced.calls)
    known = {(call, e): report.whole[e] for e in report.right_exports for call in every}
    return SingleCalls(known, at_several, lines)


def _try_calls_alone(report: Report, progress: Progress, observer: ScanObserver) -> None:
    """Add the outcome of each call alone, in the exports in which the model fails."""
    jobs, outcomes = _jobs(report), report.alone.outcomes
    report.alone = replace(report.alone, count=len(jobs))
    named = {op for outcome in report.whole.values() for op, _ in outcome.named}
    written = [export for export, outcome in report.whole.items() if outcome.kind != "export"]
    for job, outcome in single_calls.try_each(jobs, progress, "calls", named, written):
        outcomes[job.call, job.export] = outcome
        if not outcome.is_right:
            observer.call(job.call, job.export, outcome)
    for failed, outcome in _compared_with_first(report, jobs, progress):
        outcomes[failed.call, failed.export] = outcome


def _explain(report: Report) -> None:
    """Add the findings, the causes of failures that have none, and notes on them."""
    assert report.target is not None
    report.findings = _findings(report)
    whole_model = report.whole.items()
    if any(one_side.is_cause(report, export, outcome) for export, outcome in whole_model):
        sets = (*report.target.sizes, *report.target.values)
        example = report.target.call("TorchScript")
        taken = sides.taken_differently(example, report.kept.places, sets)
        report.kept = replace(report.kept, other_sides=taken)
    report.kept = replace(report.kept, unreached=tuple(branches.unreached(report)))
    report.functions = unknown_nodes.functions_to_replace(report)
    report.notes += explanation.notes_of_model(report)
    for export, outcome in whole_model:
        if outcome.is_right:
            continue
        known = explanation.cause(report, export, outcome)
        if known is not None:
            report.causes[export] = known
        note = explanation.note_of_failure(report, export, outcome)
        report.notes += [] if note is None else [note]


def _in_fork(work: Callable[[], Any], target: Target) -> Any:
    """Do work that runs the model in a fork, so that this process traces a model that has kept
    nothing of its calls.
    """
    try:
        return processes.run(work, limits=_LIMITS)
    except processes.ProcessDied as died:
        raise TargetError(f"{target.name}: PyTorch itself cannot run the model: {died}") from died


def _check_runs(target: Target) -> None:
    """Run the model for all its inputs. Raises TargetError."""
    check_runs(target)
    for args, kwargs in target.others:
        check_runs(replace(target, args=args, kwargs=kwargs))


def _other_inputs(target: Target) -> dict[str, Any]:
    """Return the fields of other inputs. Raises TargetError."""
    varied = sizes.varied(target)
    return {"values": varied.values, "sizes": varied.sizes, "axes": varied.axes}


def _export_only(target: Target) -> tuple[Place, ...]:
    """Return the lines that the model runs in exports alone, with other results."""
    try:
        return export_only.lines(target.call("TorchScript"))
    except Exception:  # noqa: BLE001 - of the user's model, which may need an exporter there
        return ()


def _own_functions(target: Target) -> list[OwnFunctionCall]:
    """Run the model, and return the calls of its own functions."""
    with own_functions.watched() as own, suppress(TargetError):
        check_runs(target)
    return [*own.values()]


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
    assert report.target is not None
    if outcome.is_right or outcome.cause == "specialised":
        return False  # the lines of a size that is a constant are the cause, no call
    if outcome.kind == "first":
        return True
    is_traced = outcome.kind != "export" or export.exporter not in report.traced.errors
    has_others = bool(report.target.sizes or report.target.values)
    return has_others and is_traced and not report.right_exports


def _all_calls(*by_exporter: Mapping[str, Sequence[Recorded]]) -> list[Recorded]:
    """Return the calls that were recorded, each once."""
    recorded = chain(*(calls for each in by_exporter for calls in each.values()))
    return list(dict.fromkeys(recorded))


def _jobs(report: Report) -> list[Try]:
    """Return the calls to try alone."""
    jobs: list[Try] = []
    for export, outcome in report.whole.items():
        if not outcome.is_right and outcome.cause != "specialised":
            can_try = (call for call in report.calls_of(export) if call.can_be_fed)
            alone = [call for call in can_try if not _is_of_pairs(call, export, outcome)]
            jobs += [Try(call, export) for call in alone]
    return jobs


def _is_of_pairs(call: Recorded, export: Export, outcome: Outcome) -> bool:
    """Return whether a call takes or makes packed sequences, which the TorchScript exporter writes
    only together with the calls that pack and unpack them, unless the whole model lacks one of
    these.
    """
    is_packed = call.op in (PACK, PAD) or call.overload_name == _PACKED
    lacks_one = IN_PAIRS in outcome.why
    return is_packed and export.exporter == "TorchScript" and not lacks_one


def _findings(report: Report) -> list[Finding]:
    """Return a finding for each call that fails alone in an export in which the model fails, those
    first of operators that an error of the whole model names.
    """
    findings: list[Finding] = []
    alone = report.alone.outcomes
    for call in _all_calls(report.alone.at_several_inputs, report.traced.calls):
        outcomes = {e: alone[call, e] for e in report.whole if (call, e) in alone}
        wrong = {export: outcome for export, outcome in outcomes.items() if not outcome.is_right}
        has_no_rule = any(outcome.has_no_rule for outcome in wrong.values())
        if wrong and (has_no_rule or _has_values(call)):
            findings.append(Finding(call, wrong))
    named = {op for outcome in report.whole.values() for op, _ in outcome.named}
    return sorted(findings, key=lambda finding: finding.op not in named)


def _has_values(call: Recorded) -> bool:
    """Return whether the call has results to compare."""
    return any(tensor.numel() for tensor in call.call().results())


def _compared_with_first(
    report: Report, jobs: Sequence[Try], progress: Progress
) -> Iterator[tuple[Try, Outcome]]:
    """Try the calls that fail for all inputs with the example inputs only, and yield their
    outcomes. Those that fail there, too, are right if the whole model passes.
    """
    at_first_inputs = {
        Try(replace(job.call, others=[]), job.export): job
        for job in jobs
        if _may_be_right_at_first(report, job)
    }
    label = "calls for the example inputs"
    for job, outcome in single_calls.try_each([*at_first_inputs], progress, label):
        failed = at_first_inputs[job]
        yield failed, _beside_first(report, failed, outcome)


def _may_be_right_at_first(report: Report, job: Try) -> bool:
    """Return whether a call that fails for all inputs may be right for the example inputs."""
    outcome = report.alone.outcomes[job.call, job.export]
    if outcome.is_right or not job.call.others:
        return False
    is_first = report.whole[job.export].kind == "first"
    return is_first or not outcome.has_no_rule or _is_of_sizes(report, job)


def _beside_first(report: Report, failed: Try, at_first: Outcome) -> Outcome:
    """Return the outcome of a call that fails for all inputs, from that ``at_first`` inputs."""
    if at_first.is_right and _is_of_sizes(report, failed):
        return at_first
    if at_first.is_right:
        return whole.first_alone(report.alone.outcomes[failed.call, failed.export])
    is_first = report.whole[failed.export].kind == "first"
    return Outcome("right") if is_first else at_first


def _is_of_sizes(report: Report, job: Try) -> bool:
    """Return whether the call alone fails at sizes of complex inputs, which the whole model does
    not have.
    """
    of_sizes = ("aten::sym_size", "int")
    named = report.alone.outcomes[job.call, job.export].named
    return of_sizes in named and of_sizes not in report.whole[job.export].named
