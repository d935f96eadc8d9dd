"""A model → its operator calls that do not export correctly."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from onnxop_runtime import processes
from onnxop_runtime.torch_internals import TracerWarning

from ..trial import trial
from ..trial.fresh import FreshProcess
from ..trial.outcome import Outcome
from ..trial.places import Place
from . import branches, calls, notes, own_functions, sizes, stops, traces, tries, whole
from .calls import Recorded
from .own_functions import OwnFunctionCall
from .report import TRACERS, Export, Finding, Progress, Report, Told
from .stops import Stopped
from .target import Target, TargetError, check_runs

_LIMITS = processes.Limits(seconds=600.0)  # to run the model


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
                    f"--opset {opset}: left out for the {exporter} exporter, which supports {span.start} "
                    f"to {span.stop - 1}."
                )
    return supported, left_out


def scan_model(
    target: Target,
    wanted: Sequence[Export],
    progress: Progress,
    *,
    is_static: bool = False,
    told: Told | None = None,
) -> Report:
    """Try the model in each export, with other inputs, too, unless ``is_static``. Where it fails, try each
    of its calls alone. If `Stopped` is raised meanwhile, the report has what is known. ``told`` gets what is known
    meanwhile.
    """
    report = Report(target.name)
    try:
        _fill_report(report, target, wanted, progress, is_static=is_static, told=told or Told())
    except Stopped as stopped:
        stops.end()
        report.stopped = str(stopped)
        _add_findings(report)
    return report


def _fill_report(
    report: Report,
    target: Target,
    wanted: Sequence[Export],
    progress: Progress,
    *,
    is_static: bool,
    told: Told,
) -> None:
    progress("importing the exporters")
    trial.warm_up_exporters()
    target = replace(target, process=FreshProcess(target.objects))
    progress("running the model")
    _in_fork(partial(_check_runs, target), target)
    if not is_static:
        progress("looking for inputs of other sizes and values")
        target = replace(target, **_in_fork(partial(_others, target), target))
    report.target = target
    whole.try_exports(target, wanted, progress, into=report.whole)
    told.whole(report)
    failed = _look(target, report, progress)
    report.kept_sides = notes.kept_sides(report, failed.get("dynamo"))
    if branches.add(report, progress):
        told.whole(report)
    if not report.is_right:
        report.functions += _own_functions(target)
    notes.add_constants(report)
    _record_twice(report, target)
    jobs = _jobs(report)
    named = {op for outcome in report.whole.values() for op, _ in outcome.named}
    for one, outcome in tries.try_each(jobs, progress, "calls", named):
        report.alone[one.call, one.export] = outcome
        if not outcome.is_right:
            told.call(one.call, one.export, outcome)
    _compare_with_first(report, jobs, progress)
    _add_findings(report)
    _note_untaken(report, failed)
    notes.add_training(report, target.kinds_in_training)
    notes.add_inexact(report)
    for export, outcome in report.whole.items():
        if not outcome.is_right and export.exporter not in failed:
            notes.add_cause(report, export, outcome)


def _in_fork(work: Callable[[], Any], target: Target) -> Any:
    """Do work that runs the model in a fork, so that this process traces a model that has kept nothing of its calls."""
    try:
        return processes.run(work, limits=_LIMITS)
    except processes.ProcessDied as died:
        raise TargetError(f"{target.name}: PyTorch itself cannot run the model: {died}") from died


def _check_runs(target: Target) -> None:
    """Run the model for all its inputs. Raises TargetError."""
    check_runs(target)
    for args, kwargs in target.others:
        check_runs(replace(target, args=args, kwargs=kwargs))


def _others(target: Target) -> dict[str, Any]:
    """Return the fields of other inputs. Raises TargetError."""
    varied = sizes.varied(target)
    return {"values": varied.values, "sizes": varied.sizes, "axes": varied.axes}


def _own_functions(target: Target) -> list[OwnFunctionCall]:
    """Run the model, and return the calls of its own functions."""
    with own_functions.watched() as own, suppress(TargetError):
        check_runs(target)
    return [*own.values()]


def _record_twice(report: Report, target: Target) -> None:
    """Record the calls at other sizes and values for the exporters in which the model fails for these."""
    for export, outcome in report.whole.items():
        if outcome.cause == "specialised":
            continue  # its lines are the cause, no call
        has_others = target.sizes or target.values
        is_again = outcome.kind == "first" or (not outcome.is_right and has_others)
        if is_again and export.exporter not in report.calls_at_several_inputs:
            recorded = _twice(target, export.exporter, report.dynamic_stops)
            report.calls_at_several_inputs[export.exporter] = _joined(
                recorded, report.calls.values()
            )


def _jobs(report: Report) -> list[tries.Try]:
    """Return the calls to try alone; note those as right that the whole model has right."""
    jobs: list[tries.Try] = []
    for export, outcome in report.whole.items():
        if outcome.is_right:
            every = chain(*report.calls.values(), *report.calls_at_several_inputs.values())
            report.alone |= {(call, export): outcome for call in every}
            continue
        if outcome.cause == "specialised":
            continue
        tried = (call for call in report.tried(export) if call.can_be_fed)
        jobs += [tries.Try(call, export) for call in tried]
    report.untried = len(jobs)
    return jobs


def _add_findings(report: Report) -> None:
    """Add a finding for each call that fails alone in an export in which the model fails."""
    tried = {call for call, _ in report.alone}
    every = chain(*report.calls_at_several_inputs.values(), *report.calls.values())
    for call in dict.fromkeys(call for call in every if call in tried):
        within = [export for export in report.whole if (call, export) in report.alone]
        wrong = {e: o for e in within if not (o := report.alone[call, e]).is_right}
        has_no_rule = any(outcome.has_no_rule for outcome in wrong.values())
        if wrong and (has_no_rule or _has_values(call)):
            report.findings.append(Finding(call, wrong))
    notes.named_first(report)


def _has_values(call: Recorded) -> bool:
    """Return whether the call has results to compare."""
    return any(tensor.numel() for tensor in call.call().results())


def _note_untaken(report: Report, failed: dict[str, Exception]) -> None:
    """Note why an exporter sees no calls. An exporter that takes the model, by further modes of torch.export than
    `_look` tries, is none of these.
    """
    taken = {e.exporter for e, outcome in report.whole.items() if outcome.kind != "export"}
    for exporter in taken & failed.keys():
        failed.pop(exporter)
    report.untaken = {exporter: str(error) for exporter, error in failed.items()}
    report.unread = {e for e, error in failed.items() if isinstance(error, NotImplementedError)}
    wanted = {export.exporter for export in report.whole}
    for exporter, error in failed.items():
        if exporter in wanted:
            report.notes.append(notes.of_untaken(report, exporter, error))


def _compare_with_first(report: Report, jobs: Sequence[tries.Try], progress: Progress) -> None:
    """Try the calls that fail for all inputs with the example inputs only. Drop those that fail there, too,
    if the whole model passes.
    """
    is_first = {export: outcome.kind == "first" for export, outcome in report.whole.items()}
    firsts = {
        tries.Try(replace(one.call, others=[]), one.export): one
        for one in jobs
        if one.call.others and not (outcome := report.alone[one.call, one.export]).is_right
        if is_first[one.export] or not outcome.has_no_rule or _is_of_sizes(report, one)
    }
    for one, outcome in tries.try_each([*firsts], progress, "calls for the example inputs"):
        key = firsts[one].call, one.export
        if outcome.is_right and _is_of_sizes(report, firsts[one]):
            report.alone[key] = outcome
        elif outcome.is_right:
            report.alone[key] = whole.first_alone(report.alone[key])
        else:
            report.alone[key] = Outcome("right") if is_first[one.export] else outcome


def _is_of_sizes(report: Report, one: tries.Try) -> bool:
    """Return whether the call alone fails at sizes of complex inputs, which the whole model does not have."""
    of_sizes = ("aten::sym_size", "int")
    named = report.alone[one.call, one.export].named
    return of_sizes in named and of_sizes not in report.whole[one.export].named


def _look(target: Target, report: Report, progress: Progress) -> dict[str, Exception]:
    """Fill in the calls that each exporter sees, where it refuses the model, those that the other one sees; and the
    user's lines at which the tracer warns. Return the errors.
    """
    failed: dict[str, Exception] = {}
    for exporter, function in TRACERS.items():
        progress(f"tracing the model with {function}")
        try:
            with processes.quiet(), warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                recorded = _recorded(target, exporter)
                report.calls[exporter] = _joined(recorded, report.calls.values())
        except Exception as error:  # noqa: BLE001 - the user's model, and exporters, raise anything
            failed[exporter] = error
            place = notes.stops_at(error)
            if place:
                report.stops[exporter] = place
            continue
        tracers = [one for one in warned if issubclass(one.category, TracerWarning)]
        places_of = [(one.filename, one.lineno, str(one.message)) for one in tracers]
        report.constants.update(notes.lines_of(places_of))
    for exporter in failed:
        report.calls[exporter] = next((report.calls[e] for e in TRACERS if e not in failed), [])
    return failed


def _recorded(target: Target, exporter: str, *, is_twice: bool = False) -> list[Recorded]:
    """Return the calls that an exporter sees, with arguments for other inputs, too. Raise its errors."""
    # Of a program, the exported graph alone knows the user's lines.
    exporter = "dynamo" if target.is_program else exporter
    call = replace(target.call(exporter), others=())
    call = call.spare() or call  # a trace may leave tensors of its own in the model
    sets = (call.tensors, *target.sizes, *target.values) if is_twice else ()
    look = traces.traced if exporter == "TorchScript" else calls.exported
    dynamic = target.dynamic(exporter) if is_twice else None
    return look(replace(dynamic, model=call.model) if dynamic else call, sets)


def _twice(
    target: Target, exporter: str, dynamic_stops: dict[str, Place] | None = None
) -> list[Recorded]:
    """Return the calls that an exporter sees, each with its arguments at other sizes and values; none if it refuses other
    sizes. Add the line at which it does to ``dynamic_stops``.
    """
    try:
        with processes.quiet():
            return _recorded(target, exporter, is_twice=True)
    except Exception as error:  # noqa: BLE001 - exporters raise anything
        place = notes.stops_at(error)
    if place is not None and dynamic_stops is not None:
        dynamic_stops[exporter] = place
    return []


def _joined(recorded: Sequence[Recorded], seen: Iterable[Sequence[Recorded]]) -> list[Recorded]:
    """Return the calls, with equal ones of the other exporter as one object, which has all outcomes."""
    known = {call.key: call for other in seen for call in other}
    joined = []
    for call in recorded:
        first = known.setdefault(call.key, call)
        first.use(call.used)
        if call.others and not first.others:  # of other exporters, arguments may have other names
            first.args, first.kwargs, first.fixed = call.args, call.kwargs, call.fixed
            first.others = call.others
        joined.append(first)
    return list(dict.fromkeys(joined))
