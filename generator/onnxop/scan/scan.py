"""A model → its operator calls that do not export correctly."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
from . import (
    branches,
    export_only,
    last_remedies,
    notes,
    own_functions,
    quantised,
    quotients,
    sides,
    sizes,
    state,
    stops,
    tries,
    unknown_nodes,
    whole,
)
from .calls import Recorded
from .model_calls import TracedModel, calls_at_several_inputs, joined, trace_model
from .own_functions import OwnFunctionCall
from .report import Export, Finding, Progress, Report, ScanObserver
from .stops import Stopped
from .target import Target, TargetError, check_runs

_LIMITS = processes.Limits(seconds=600.0)  # to run the model
_PACKING = "aten::_pack_padded_sequence", "aten::_pad_packed_sequence"
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
    report = Report(target.name)
    observer = observer or ScanObserver()
    try:
        report.target = _with_other_inputs(target, progress, is_static=is_static)
        call = report.target.call("dynamo")
        report.written_buffers = _in_fork(partial(state.written_buffers, call), target)
        _try_whole_model(report, exports_to_try, progress, observer)
        traced = _trace(report, progress, observer)
        _try_calls_alone(report, traced, progress, observer)
        with processes.quiet():  # what the model prints, as it is run and traced
            _explain(report, traced)
    except Stopped as stopped:
        stops.end()
        report.stopped = str(stopped)
        report.findings = _findings(report)
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
    if not report.right_exports:
        with suppress(TargetError):
            only = _in_fork(partial(_export_only, report.target), report.target)
            report.target = replace(report.target, export_only=only)
        whole.try_runtime(report.target, progress, report.whole)
    observer.whole(report)


def _trace(report: Report, progress: Progress, observer: ScanObserver) -> TracedModel:
    """Add what the exporters' traces show of the model: its calls, and conditions of which one side
    is kept.
    """
    assert report.target is not None
    traced = trace_model(report.target, progress)
    report.calls, report.stops, report.constants = traced.calls, traced.stops, traced.constants
    report.has_scripted_code = isinstance(traced.errors.get("TorchScript"), NotImplementedError)
    report.kept_sides = notes.kept_sides(report, traced.errors.get("dynamo"))
    right = report.right_exports
    report.whole |= branches.outcomes(report, progress)
    if right and not report.right_exports:
        whole.try_runtime(report.target, progress, report.whole)
        report.whole |= branches.outcomes(report, progress)
    if right != report.right_exports:
        observer.whole(report)
    if not report.is_right:
        report.functions = _own_functions(report.target)
    report.notes += notes.of_constants(report)
    return traced


def _try_calls_alone(
    report: Report, traced: TracedModel, progress: Progress, observer: ScanObserver
) -> None:
    """Add the outcome of each call alone, in the exports in which the model fails."""
    _record_at_several_inputs(report, traced.errors)
    report.alone |= _outcomes_of_right_exports(report)
    jobs = _jobs(report)
    report.untried = len(jobs)
    named = {op for outcome in report.whole.values() for op, _ in outcome.named}
    for job, outcome in tries.try_each(jobs, progress, "calls", named):
        report.alone[job.call, job.export] = outcome
        if not outcome.is_right:
            observer.call(job.call, job.export, outcome)
    for failed, outcome in _compared_with_first(report, jobs, progress):
        report.alone[failed.call, failed.export] = outcome


def _explain(report: Report, traced: TracedModel) -> None:
    """Add the findings, and notes on failures that have none."""
    assert report.target is not None
    report.findings = _findings(report)
    errors = _untaken(report, traced.errors)
    report.untaken = {exporter: str(error) for exporter, error in errors.items()}
    report.unread = {e for e, error in errors.items() if isinstance(error, NotImplementedError)}
    outcomes = report.whole.items()
    if any(notes.has_one_side(report, export, outcome) for export, outcome in outcomes):
        sets = (*report.target.sizes, *report.target.values)
        example = report.target.call("TorchScript")
        report.other_sides = sides.taken_differently(example, report.kept_sides, sets)
    report.functions = unknown_nodes.functions_to_replace(report)
    wanted = {export.exporter for export in report.whole}
    for exporter, error in errors.items():
        if exporter in wanted:
            report.notes.append(notes.of_untaken(report, exporter, error))
    report.notes += notes.of_export_only(report)
    report.notes += quotients.notes(report)
    report.notes += notes.of_training(report, report.target.kinds_in_training)
    report.notes += notes.of_inexact(report)
    of_constants = notes.of_constants(report)
    for export, outcome in report.whole.items():
        if not outcome.is_right and export.exporter in errors:
            report.causes[export] = quantised.cause(outcome)
        elif not outcome.is_right:
            report.causes[export] = notes.decisive_cause(report, export, outcome)
            report.notes += notes.of_cause(report, export, outcome)
    left = notes.of_constants(report)  # those that no cause names
    report.notes = [*left, *(note for note in report.notes if note not in of_constants)]


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


def _record_at_several_inputs(report: Report, errors: Collection[str]) -> None:
    """Record the calls at other sizes and values for the exporters in which the model fails for
    these, and whose traces have no ``errors``.
    """
    target = report.target
    assert target is not None
    for export, outcome in report.whole.items():
        is_recorded = export.exporter in report.calls_at_several_inputs
        if is_recorded or not _needs_several_inputs(report, export, outcome, errors):
            continue
        recorded = calls_at_several_inputs(target, export.exporter, report.dynamic_stops)
        if not recorded and outcome.cause == "values":
            recorded = calls_at_several_inputs(replace(target, sizes=()), export.exporter)
        report.calls_at_several_inputs[export.exporter] = joined(recorded, report.calls.values())


def _needs_several_inputs(
    report: Report, export: Export, outcome: Outcome, errors: Collection[str]
) -> bool:
    """Return whether the calls at other sizes and values may tell why the model fails in an export,
    or what else does once its first failure is mended.
    """
    assert report.target is not None
    if outcome.is_right or outcome.cause == "specialised":
        return False  # the lines of a size that is a constant are the cause, no call
    if outcome.kind == "first":
        return True
    is_traced = outcome.kind != "export" or export.exporter not in errors
    has_others = bool(report.target.sizes or report.target.values)
    return has_others and is_traced and not report.right_exports


def _all_calls(report: Report) -> list[Recorded]:
    """Return the calls that were recorded, those at several inputs first."""
    every = chain(*report.calls_at_several_inputs.values(), *report.calls.values())
    return list(dict.fromkeys(every))


def _outcomes_of_right_exports(report: Report) -> dict[tuple[Recorded, Export], Outcome]:
    """Return the outcome of the whole model for each of its calls, in the exports that have it
    right.
    """
    every = _all_calls(report)
    return {
        (call, export): report.whole[export] for export in report.right_exports for call in every
    }


def _jobs(report: Report) -> list[tries.Try]:
    """Return the calls to try alone."""
    jobs: list[tries.Try] = []
    for export, outcome in report.whole.items():
        if not outcome.is_right and outcome.cause != "specialised":
            can_try = (call for call in report.tried(export) if call.can_be_fed)
            alone = [call for call in can_try if not _is_of_pairs(call, export, outcome)]
            jobs += [tries.Try(call, export) for call in alone]
    return jobs


def _is_of_pairs(call: Recorded, export: Export, outcome: Outcome) -> bool:
    """Return whether a call takes or makes packed sequences, which the TorchScript exporter writes
    only together with the calls that pack and unpack them, unless the whole model lacks one of
    these.
    """
    is_packed = call.op in _PACKING or call.overload_name == _PACKED
    lacks_one = last_remedies.IN_PAIRS in outcome.why
    return is_packed and export.exporter == "TorchScript" and not lacks_one


def _findings(report: Report) -> list[Finding]:
    """Return a finding for each call that fails alone in an export in which the model fails, those
    first of operators that an error of the whole model names.
    """
    findings: list[Finding] = []
    for call in _all_calls(report):
        within = [export for export in report.whole if (call, export) in report.alone]
        outcomes = {export: report.alone[call, export] for export in within}
        wrong = {export: outcome for export, outcome in outcomes.items() if not outcome.is_right}
        has_no_rule = any(outcome.has_no_rule for outcome in wrong.values())
        if wrong and (has_no_rule or _has_values(call)):
            findings.append(Finding(call, wrong))
    named = {op for outcome in report.whole.values() for op, _ in outcome.named}
    return sorted(findings, key=lambda finding: finding.op not in named)


def _has_values(call: Recorded) -> bool:
    """Return whether the call has results to compare."""
    return any(tensor.numel() for tensor in call.call().results())


def _untaken(report: Report, errors: Mapping[str, Exception]) -> dict[str, Exception]:
    """Return the errors of the exporters that see no calls. An exporter that traces the model, by
    further modes of torch.export than `trace_model` tries, is none of these; one whose graph scan
    cannot read is.
    """
    unread = {e for e, error in errors.items() if isinstance(error, NotImplementedError)}
    taken = {
        export.exporter
        for export, outcome in report.whole.items()
        if outcome.kind != "export" or (outcome.has_no_rule and export.exporter not in unread)
    }
    return {exporter: error for exporter, error in errors.items() if exporter not in taken}


def _compared_with_first(
    report: Report, jobs: Sequence[tries.Try], progress: Progress
) -> Iterator[tuple[tries.Try, Outcome]]:
    """Try the calls that fail for all inputs with the example inputs only, and yield their
    outcomes. Those that fail there, too, are right if the whole model passes.
    """
    at_first_inputs = {
        tries.Try(replace(job.call, others=[]), job.export): job
        for job in jobs
        if _may_be_right_at_first(report, job)
    }
    label = "calls for the example inputs"
    for job, outcome in tries.try_each([*at_first_inputs], progress, label):
        failed = at_first_inputs[job]
        yield failed, _beside_first(report, failed, outcome)


def _may_be_right_at_first(report: Report, job: tries.Try) -> bool:
    """Return whether a call that fails for all inputs may be right for the example inputs."""
    outcome = report.alone[job.call, job.export]
    if outcome.is_right or not job.call.others:
        return False
    is_first = report.whole[job.export].kind == "first"
    return is_first or not outcome.has_no_rule or _is_of_sizes(report, job)


def _beside_first(report: Report, failed: tries.Try, at_first: Outcome) -> Outcome:
    """Return the outcome of a call that fails for all inputs, from that ``at_first`` inputs."""
    if at_first.is_right and _is_of_sizes(report, failed):
        return at_first
    if at_first.is_right:
        return whole.first_alone(report.alone[failed.call, failed.export])
    is_first = report.whole[failed.export].kind == "first"
    return Outcome("right") if is_first else at_first


def _is_of_sizes(report: Report, job: tries.Try) -> bool:
    """Return whether the call alone fails at sizes of complex inputs, which the whole model does
    not have.
    """
    of_sizes = ("aten::sym_size", "int")
    named = report.alone[job.call, job.export].named
    return of_sizes in named and of_sizes not in report.whole[job.export].named
