"""A model → its operator calls that do not export correctly."""

from __future__ import annotations

import tomllib
import traceback
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from onnxop_runtime import processes
from onnxop_runtime.torch_internals import TracerWarning

from ..errors import listed
from ..trial import places, trial
from ..trial.call import words_of
from ..trial.outcome import WORDS, Outcome, said
from ..trial.places import Place
from . import calls, own_functions, sizes, traces, tries
from .calls import Recorded
from .report import Export, Finding, Progress, Report
from .target import Target, check_runs

ALONE = "each call is right alone"  # of a model that fails
FACTS = tomllib.loads(Path(__file__).with_name("facts.toml").read_text(encoding="utf-8"))
_SECONDS = 1800.0  # for the whole model
# Warnings of torch.jit.trace: of literals, and of tuples, of which the number seldom changes.
_HARMLESS = "torch.tensor results are registered as constants", "Iterating over a tensor"
_STATIC = "If the model never gets other sizes, let the function return dynamic_shapes with bounds, or scan with --static."
_CAUSES = {  # by the cause of an outcome
    "": "sizes and conditions that depend on values, and the order of equal values in sorting.",
    "dtypes": "numbers that Python computes in float64; make them float32 tensors.",
    "values": "operators that round or overflow for such values. If the model never gets them, let the function return "
    "several sets of inputs.",
    "specialised": f"code that needs this size as a Python integer, such as a loop. {_STATIC}",
    "sizes": f"sizes and conditions that Python computes, such as int(x.shape[0]). {_STATIC}",
}
_TAKES = {"dynamo": "torch.export", "TorchScript": "torch.jit.trace"}


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


def scan(
    target: Target, wanted: Sequence[Export], progress: Progress, *, is_static: bool = False
) -> Report:
    """Try the model in each export, with other inputs, too, unless ``is_static``. Where it fails, try each
    of its calls alone.
    """
    report = Report(target.name)
    progress("importing the exporters")
    trial.ready()
    progress("running the model")
    with own_functions.watched() as own:
        check_runs(target)
    for args, kwargs in target.others:
        check_runs(replace(target, args=args, kwargs=kwargs))
    if not is_static:
        progress("looking for inputs of other sizes and values")
        target = sizes.varied(target)
    report.target = target
    failed = _look(target, report, progress)
    report.whole = whole(target, wanted, progress)
    _note_constants(report)
    for export, outcome in report.whole.items():
        has_others = target.sizes or target.values
        is_again = outcome.kind == "first" or (not outcome.is_right and has_others)
        if is_again and export.exporter not in report.twice:
            recorded = _twice(target, export.exporter)
            report.twice[export.exporter] = _joined(recorded, report.calls.values())
    jobs: list[tries.Try] = []
    for export, outcome in report.whole.items():
        if outcome.is_right:
            every = chain(*report.calls.values(), *report.twice.values())
            report.alone |= {(call, export): outcome for call in every}
        else:
            jobs += [tries.Try(call, export) for call in report.tried(export)]
    for one, outcome in tries.outcomes(jobs, progress, "calls"):
        report.alone[one.call, one.export] = outcome
    _compare_with_first(report, jobs, progress)
    if not report.is_right:
        report.functions += own.values()
    for call in dict.fromkeys(one.call for one in jobs):
        within = [e for e in wanted if (call, e) in report.alone]
        wrong = {e: o for e in within if not (o := report.alone[call, e]).is_right}
        if any(outcome.has_no_rule for outcome in wrong.values()) or (
            wrong and any(tensor.numel() for tensor in call.call().results())  # values to compare
        ):
            report.findings.append(Finding(call, wrong))
    # The exporter tries further modes of torch.export than `_look` does.
    taken = {e.exporter for e, outcome in report.whole.items() if outcome.kind != "export"}
    failed = {exporter: error for exporter, error in failed.items() if exporter not in taken}
    report.untaken = {exporter: str(error) for exporter, error in failed.items()}
    for exporter, error in failed.items():
        if any(export.exporter == exporter for export in wanted):
            report.notes.append(_untaken(report, exporter, error))
    _note_training(report, target.kinds_in_training)
    _note_inexact(report)
    for export, outcome in report.whole.items():
        if not outcome.is_right and export.exporter not in failed:
            _note_unlike_alone(report, export, outcome)
    return report


def _note_constants(report: Report) -> None:
    """Note the lines at which a trace makes constants; those that are mostly harmless only if results are wrong."""
    traced = [out.kind for export, out in report.whole.items() if export.exporter == "TorchScript"]
    left_out = () if {"first", "values"}.intersection(traced) else _HARMLESS
    warned = report.constants.items()
    lines = [str(place) for place, why in warned if not any(text in why for text in left_out)]
    if traced and lines:
        report.notes.append(
            f"{listed(lines)}: torch.jit.trace turns values into constants here. The TorchScript "
            "exporter's model may be wrong for other inputs. To keep the values dynamic, compute with tensors."
        )


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
    for one, outcome in tries.outcomes([*firsts], progress, "calls for the example inputs"):
        key = firsts[one].call, one.export
        if outcome.is_right and _is_of_sizes(report, firsts[one]):
            report.alone[key] = outcome
        elif outcome.is_right:
            report.alone[key] = _first_alone(report.alone[key])
        else:
            report.alone[key] = Outcome("right") if is_first[one.export] else outcome


def _is_of_sizes(report: Report, one: tries.Try) -> bool:
    """Return whether the call alone fails at sizes of complex inputs, which the whole model does not have."""
    of_sizes = ("aten::sym_size", "int")
    named = report.alone[one.call, one.export].named
    return of_sizes in named and of_sizes not in report.whole[one.export].named


def whole(
    target: Target,
    wanted: Sequence[Export],
    progress: Progress,
    rules: trial.Rules = trial.STOCK,
) -> dict[Export, Outcome]:
    """Try the model in each export, and where it passes, with dynamic dimensions."""
    outcomes: dict[Export, Outcome] = {}
    for is_dynamic in (False, True):
        left = [e for e in wanted if not is_dynamic or (outcomes[e].is_right and target.sizes)]
        if left:
            where = " with dynamic dimensions" * is_dynamic
            progress(f"exporting the whole model{where}: {', '.join(map(str, left))}")
        works = [partial(_whole, target, e, rules, is_dynamic=is_dynamic) for e in left]
        for place, outcome in trial.outcomes(works, processes.Limits(seconds=_SECONDS)):
            if not is_dynamic or outcome.kind != "right":
                outcomes[left[place]] = outcome
            progress(f"exported the whole model: {left[place]}")
    return {export: outcomes[export] for export in wanted}


def _whole(target: Target, export: Export, rules: trial.Rules, *, is_dynamic: bool) -> Outcome:
    call = target.dynamic(export.exporter) if is_dynamic else target.call(export.exporter)
    assert call is not None
    outcome = trial.tried(call, export.exporter, export.opset, rules)
    if not is_dynamic or outcome.is_right:
        return outcome
    return _first_alone(outcome, f" from {words_of(call.tensors, {})}")


def _first_alone(outcome: Outcome, how: str = "") -> Outcome:
    """Return the outcome of a call that passes at its own sizes and fails with dynamic dimensions."""
    then = ", " if outcome.kind == "first" else f": {WORDS[outcome.kind]}: "
    why = f"exported{how} with dynamic dimensions{then}{outcome.why}"
    return Outcome("first", why, outcome.cause or "sizes")


def _look(target: Target, report: Report, progress: Progress) -> dict[str, Exception]:
    """Fill in the calls that each exporter sees, where it refuses the model, those that the other one sees; and the
    user's lines at which the tracer warns. Return the errors.
    """
    failed: dict[str, Exception] = {}
    for exporter, function in _TAKES.items():
        progress(f"tracing the model with {function}")
        try:
            with processes.quiet(), warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                recorded = _recorded(target, exporter)
                report.calls[exporter] = _joined(recorded, report.calls.values())
        except Exception as error:  # noqa: BLE001 - the user's model, and exporters, raise anything
            failed[exporter] = error
            continue
        for warning in warned:
            if issubclass(warning.category, TracerWarning) and places.is_users(warning.filename):
                place = Place(warning.filename, warning.lineno, "")
                report.constants[place] = str(warning.message)
    for exporter in failed:
        report.calls[exporter] = next((report.calls[e] for e in _TAKES if e not in failed), [])
    return failed


def _recorded(target: Target, exporter: str, *, is_twice: bool = False) -> list[Recorded]:
    """Return the calls that an exporter sees, with arguments for other inputs, too. Raise its errors."""
    # Of a program, the exported graph alone knows the user's lines.
    exporter = "dynamo" if target.is_program else exporter
    call = replace(target.call(exporter), others=())
    sets = (call.tensors, *target.sizes, *target.values) if is_twice else ()
    look = traces.traced if exporter == "TorchScript" else calls.exported
    return look((target.dynamic(exporter) if is_twice else None) or call, sets)


def _twice(target: Target, exporter: str) -> list[Recorded]:
    """Return the calls that an exporter sees, each with its arguments at other sizes and values."""
    with suppress(Exception), processes.quiet():  # it may refuse other sizes
        return _recorded(target, exporter, is_twice=True)
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


def _untaken(report: Report, exporter: str, error: Exception) -> str:
    """Return a note on why an exporter sees no calls."""
    other = next(name for name in _TAKES if name != exporter)
    instead = f" Scan tried the calls that {_TAKES[other]} records instead."
    instead *= other not in report.untaken
    if isinstance(error, NotImplementedError):
        why = f"Scan cannot read the graph of {_TAKES[exporter]}: {error}"
        return f"{why.rstrip('.')}.{instead}"
    frames = traceback.extract_tb(error.__traceback__)
    inner = [frame for frame in frames if not places.is_own(frame.filename)]
    place = places.of_frames([(frame.filename, frame.lineno or 0) for frame in inner])
    place = place or places.of_stack(str(error))
    where = f" It stops at {_line(place)}." if place else ""
    change = "Change this line" if place else "Change the model or its inputs"
    rest = ", or replace its functions as above." if report.functions else "; no spec helps."
    fact = f"{_TAKES[exporter]} cannot trace the model: {said(error).rstrip('.')}.{where}"
    return f"{fact} {change}{rest}{_or_other(report, exporter)}{instead}"


def _or_other(report: Report, exporter: str) -> str:
    """Return advice to use the other exporter, if the model passes there."""
    right = {e.exporter for e, outcome in report.whole.items() if outcome.is_right} - {exporter}
    lines = listed(str(at) for at, why in report.constants.items() if "Python boolean" in why)
    sides = f" It keeps one side of the conditions at {lines}." * bool(lines)
    return "".join(
        f" Or use the {name} exporter, which exports the model right.{sides * (name == 'TorchScript')}"
        for name in right
    )


def _line(place: Place) -> str:
    return f"{place}: {place.code}" + f" (through {place.through})" * bool(place.through)


def _note_training(report: Report, kinds: Sequence[str]) -> None:
    """Note the modules in training mode, where the exported model differs or is random."""
    if kinds and any(o.kind not in ("right", "order") for o in report.whole.values()):
        report.notes.append(
            f"The model is in training mode, which changes the results of {listed(kinds)}. Return "
            "model.eval()."
        )


def _note_inexact(report: Report) -> None:
    """Note the calls without a finding that an exporter's own rule computes wrongly for few values."""
    wrong = {(finding.op, export) for finding in report.findings for export in finding.outcomes}
    for op, fact in FACTS["inexact"].items():
        exports = [
            e for e in report.whole if e.exporter in fact["exporters"] and (op, e) not in wrong
        ]
        calls = [
            c
            for e in exports
            for c in report.calls[e.exporter]
            if c.op == op and "float" in c.inputs
        ]
        if lines := listed(dict.fromkeys(_line(place) for call in calls for place in call.places)):
            report.notes.append(f"{listed(map(str, exports))}: {op} ({lines}) is {fact['text']}.")


def _note_unlike_alone(report: Report, export: Export, outcome: Outcome) -> None:
    """Note where to look if the model fails and each call alone passes: at the operator that the refusal
    names, or at those that order values.
    """
    is_named = any(export in finding.outcomes for finding in report.findings)
    if is_named or outcome.cause == "model":
        return
    named = [op for op, _ in outcome.named]
    at = [
        f"{call.op} ({'; '.join(map(_line, call.places))})"
        for call in report.tried(export)
        if call.op in named or report.alone[call, export].kind == "order"
    ]
    where = f" Check {listed(dict.fromkeys(at))}." * bool(at)
    tried = ""
    if outcome.kind == "first":
        sets = (*report.target.sizes, *report.target.values) if report.target else ()
        is_every = all(len(call.others) == len(sets) for call in report.tried(export))
        tried = " for those of these inputs with which it can be tried" * (not is_every)
    constants = "values that torch.jit.trace turns into constants, and " * bool(report.constants)
    causes = constants * (export.exporter == "TorchScript") + _CAUSES[outcome.cause]
    report.notes.append(
        f"{export}: {ALONE}{tried}, but the model fails.{where} Likely causes: {causes}"
        f"{_or_other(report, export.exporter)}"
    )
