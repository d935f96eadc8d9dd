"""A model → its operator calls that do not export correctly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from onnxop_runtime import processes

from ..trial import trial
from ..trial.call import Call, Known, as_tensors
from ..trial.fresh import FreshProcess
from ..trial.places import Place
from . import stopping
from .attempts import calls_to_try, example_inputs, whole_model
from .calls import own_functions
from .calls.model_calls import TracedModel, trace_model
from .calls.own_functions import OwnFunctionCall
from .causes import constant_results, decisive, notes, trace_constants, unknown_nodes
from .model import export_only, other_inputs
from .model.exports import Export, Progress
from .model.target import Target, TargetError, check_runs
from .model.written_buffers import written_buffers
from .one_side import asked_within, data_conditions, other_sides, taken_sides
from .one_side.kept_numbers import kept_numbers
from .one_side.kept_sides import kept_sides
from .report.cause import Cause
from .report.failed_export import FailedExport, failed_exports
from .report.report import KeptLines, Report, ScanObserver
from .stopping import Stopped

_LIMITS = processes.Limits(seconds=600.0)  # to run the model


def supported_exports(
    exporters: Sequence[str], opsets: Sequence[int]
) -> tuple[list[Export], list[str]]:
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
    report = Report(target)
    observer = observer or ScanObserver()
    try:
        report.target = _with_other_inputs(target, progress, is_static=is_static)
        call = report.target.call("dynamo")
        written = _in_fork(partial(written_buffers, call), target)
        if written.names:  # of which each export leaves other values
            report.target = replace(report.target, known=(), written=written)
        _try_whole_model(report, exports_to_try, progress, observer)
        report.traced = _traced(report, progress)
        _try_other_sides(report, progress, observer)
        report.functions = [] if report.is_right else _own_functions(report.target)
        report.alone, report.traced = calls_to_try.single_calls_of(report)
        _try_calls_alone(report, progress, observer)
        with processes.quiet():  # what the model prints, as it is run and traced
            _explain(report)
    except Stopped as stopped:
        stopping.end()
        report.stopped = str(stopped)
        report.findings = calls_to_try.make_findings(report)
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
    target = replace(target, known=_in_fork(partial(_check_runs, target), target))
    if is_static:
        return target
    progress("looking for inputs of other sizes and values")
    return replace(target, **_in_fork(partial(_other_inputs, target), target))


def _try_whole_model(
    report: Report, exports_to_try: Sequence[Export], progress: Progress, observer: ScanObserver
) -> None:
    """Add the outcome of each export of the whole model."""
    for export, outcome in whole_model.try_each_export(report.target, exports_to_try, progress):
        report.whole[export] = outcome  # at once: a scan that is stopped keeps what is known
    report.whole = {export: report.whole[export] for export in exports_to_try}
    report.target = report.target.with_known(report.whole.values())
    if not report.right_exports:
        with suppress(TargetError):
            only = _in_fork(partial(_export_only, report.target), report.target)
            report.target = replace(report.target, export_only=only)
        report.whole = whole_model.try_runtime(report.target, progress, report.whole)
    observer.on_whole_model(report)


def _traced(report: Report, progress: Progress) -> TracedModel:
    """Trace the model, and find what decides at the lines of PyTorch at which a trace stops. An
    exporter that takes so long that it was stopped is left out.
    """
    target = report.target
    slow = {export.exporter for export, outcome in report.whole.items() if outcome.stopped}
    traced = trace_model(target, progress, left_out=slow)
    stops = {
        exporter: _in_fork(partial(asked_within.with_inputs, target, place), target)
        if place.within
        else place
        for exporter, place in traced.stops.items()
    }
    return replace(traced, stops=stops)


def _try_other_sides(report: Report, progress: Progress, observer: ScanObserver) -> None:
    """Try right exports by `torch.jit.trace` with inputs that reach another side of a condition than
    the one that it keeps.
    """
    report.kept = KeptLines(tuple(kept_sides(report.traced, report.target)))
    right = report.right_exports
    _check_other_sides(report, progress)
    report.whole = whole_model.resume_stopped(report.target, progress, report.whole)
    if right and not report.right_exports:
        report.whole = whole_model.try_runtime(report.target, progress, report.whole)
        _check_other_sides(report, progress)
    if right != report.right_exports:
        observer.on_whole_model(report)


def _check_other_sides(report: Report, progress: Progress) -> None:
    """Replace the outcomes of right exports whose file is wrong at the other side of a condition."""
    tried = other_sides.try_other_sides(report.target, report.kept, report.whole, progress)
    report.whole |= tried.outcomes
    report.kept = tried.kept


def _try_calls_alone(report: Report, progress: Progress, observer: ScanObserver) -> None:
    """Put the outcome of each call alone, in the exports in which the model fails, into the report
    at once: a scan that is stopped keeps what is known.
    """
    attempts = calls_to_try.list_attempts(report)
    report.alone = replace(report.alone, count=len(attempts))
    for attempt, outcome in calls_to_try.try_each_alone(report, attempts, progress):
        report.alone = report.alone.with_outcome(attempt.call, attempt.export, outcome)
        if not outcome.is_right:
            observer.on_failing_call(attempt.call, attempt.export, outcome)
    for attempt, outcome in example_inputs.try_for_example_inputs(report, attempts, progress):
        report.alone = report.alone.with_outcome(attempt.call, attempt.export, outcome)


def _explain(report: Report) -> None:
    """Add the findings, the causes of failures that have none, and notes on them."""
    report.findings = calls_to_try.make_findings(report)
    failures = failed_exports(report, report.whole)
    if any(map(data_conditions.may_be_cause, failures)):
        sets = (*report.target.sizes, *report.target.values)
        example = report.target.call("TorchScript")
        taken = partial(taken_sides.taken_differently, example, report.kept.places, sets)
        report.kept = replace(report.kept, other_sides=_in_fork(taken, report.target))
    one_sided = _in_fork(partial(other_sides.one_sided_conditions, report), report.target)
    report.kept = replace(report.kept, one_sided=tuple(one_sided))
    _find_kept_numbers(report)
    report.functions = unknown_nodes.functions_to_replace(report)
    report.constant_results = constant_results.find_constant_results(report)
    report.notes += notes.of_model(report)
    for failed in failures:
        cause = _cause_of(failed)
        if cause is not None:
            report.causes[failed.export] = cause
        note = notes.of_failure(failed)
        report.notes += [] if note is None else [note]


def _cause_of(failed: FailedExport) -> Cause | None:
    """Return the cause of a failure, looked for in a fork, as that runs the model for other inputs;
    None if it ends the process.
    """
    try:
        cause: Cause | None = processes.run(partial(decisive.cause, failed), limits=_LIMITS)
    except processes.ProcessDied:
        return None
    return cause


def _find_kept_numbers(report: Report) -> None:
    """Find the numbers that a trace keeps and other inputs change, where the report tells of them:
    no file by `torch.jit.trace` is right, or a note has lines at which it makes constants.
    """
    traced = report.outcomes_of_traces
    if not traced or "TorchScript" in report.traced.errors or report.target.is_program:
        return
    if any(out.is_right for out in traced) and not trace_constants.lines_to_tell(report):
        return
    sets = (*report.target.sizes, *report.target.values)
    work = partial(kept_numbers, report.target.call("TorchScript"), sets)
    found = _in_fork(work, report.target)
    report.kept = replace(report.kept, numbers=found.changed, unchanged=found.unchanged)


def _in_fork(work: Callable[[], Any], target: Target) -> Any:
    """Do work that runs the model in a fork, so that this process traces a model that has kept
    nothing of its calls.
    """
    try:
        return processes.run(work, limits=_LIMITS)
    except processes.ProcessDied as died:
        raise TargetError(f"{target.name}: PyTorch itself cannot run the model: {died}") from died


def _check_runs(target: Target) -> tuple[Known, ...]:
    """Run the model for all its inputs, and return what it gives for them. Raises TargetError."""
    known: list[Known] = []
    for args, kwargs in ((target.args, target.kwargs), *target.others):
        results = as_tensors(check_runs(replace(target, args=args, kwargs=kwargs)))
        known.append((Call(target.model, args, kwargs).tensors, results))
    return tuple(known)


def _other_inputs(target: Target) -> dict[str, Any]:
    """Return the fields of other inputs, and the known results. Raises TargetError."""
    varied = other_inputs.find_other_inputs(target)
    known = [*target.known]
    for tensors in (*varied.values, *varied.sizes):
        with suppress(Exception):  # of the user's model
            call = target.call("dynamo").with_tensors(tensors)
            if call.known_results() is None:
                known.append((tensors, call.results()))
    varied = replace(varied, known=tuple(known))
    if not target.others:
        varied = other_inputs.without_sizes_of_nan(varied)
    return {
        "values": varied.values,
        "sizes": varied.sizes,
        "axes": varied.axes,
        "known": varied.known,
    }


def _export_only(target: Target) -> tuple[Place, ...]:
    """Return the lines that the model runs in exports alone, with other results."""
    try:
        return export_only.lines(target.call("TorchScript"))
    except Exception:  # noqa: BLE001 - of the user's model, which may need an exporter there
        return ()


def _own_functions(target: Target) -> list[OwnFunctionCall]:
    """Run the model, and return the calls of its own functions."""
    with own_functions.record_own_functions() as own, suppress(TargetError):
        check_runs(target)
    return [*own.values()]
