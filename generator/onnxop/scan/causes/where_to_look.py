"""An export that fails without a known cause → where to look, and likely causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from onnxop_runtime.messages import join_words

from ...trial.outcome import Fault, Kind, Outcome
from ...trial.places import Place
from ..calls.recorded_calls import RecordedCall, with_lines
from ..model.exports import TRACERS
from ..report.cause import Cause, join_sentences
from ..report.failed_export import FailedExport
from ..source.rewrites import rewrite_of
from . import constant_sizes, exporter_errors, failing_node, other_exporter

_ALONE = "each call is right alone"  # of a model that fails
_UNTRIED = "no call could be tried alone"
_LEFT_OUT = "no call was tried alone"
_ERRORS: frozenset[Kind] = frozenset({"export", "checker", "runtime", "crash"})
"""The kinds of outcomes whose error says why."""
_STATIC = (
    "If the model never gets other sizes, let the function return dynamic_shapes with bounds, or "
    "scan with --static"
)
_LIKELY: Mapping[Fault, str] = {  # by the cause of an outcome
    "": "sizes and conditions that depend on values, and the order of equal values in sorting",
    "dtypes": "numbers that Python computes in float64; make them float32 tensors",
    "values": "operators that round or overflow for such values. If the model never gets them, let the "
    "function return several sets of inputs",
    "specialised": f"code that needs this size as a Python integer, such as a loop. {_STATIC}",
    "sizes": f"sizes and conditions that Python computes, such as int(x.shape[0]). {_STATIC}",
}


def cause(failed: FailedExport) -> Cause:
    """Return the calls to check: those that the refusal names, or those that order values; and
    likely causes, unless the refusal names an operator.
    """
    report, exporter, outcome = failed.report, failed.export.exporter, failed.outcome
    if not report.calls_of(failed.export) and outcome.kind in _ERRORS:
        fact = f"no call could be recorded, so none was tried alone: {outcome}"
        untried = Cause(fact, advice=exporter_errors.hint(outcome))
        return failing_node.cause(failed) or untried
    stop = report.alone.stops.get(exporter)
    lines = constant_sizes.lines(failed)
    if outcome.named:
        return _at_named(failed)
    if stop is not None and outcome.is_of_unexplained_sizes:
        fact = f"with dynamic dimensions, {TRACERS[exporter]} stops at {stop.with_code}"
        change = rewrite_of(stop) or exporter_errors.hint(outcome)
        advice = _advice(failed, "Change this line", change, _STATIC)
        return Cause(fact, (stop,), advice)
    if lines:
        at_lines = constant_sizes.cause_at(lines)
        return Cause(at_lines.fact, lines, _advice(failed, at_lines.advice, _STATIC))
    return _unnamed(failed)


def _advice(failed: FailedExport, *parts: str) -> str:
    """Return what to do, and to use the other exporter if that is right."""
    return other_exporter.advice(failed.report, failed.export.exporter, *parts)


def _at_named(failed: FailedExport) -> Cause:
    """Return the operators that a refusal names, with the lines of their calls."""
    named = [op for op, _ in failed.outcome.named]
    suspects = _suspects(failed, named)
    fact = f"{_what_was_tried(failed)}, but the model fails at {join_words(named)}"
    return Cause(fact, _places(suspects), _advice(failed, _check(suspects)), is_vague=True)


def _unnamed(failed: FailedExport) -> Cause:
    """Return the error that says why the model fails, or likely causes."""
    outcome = failed.outcome
    suspects = _suspects(failed, ())
    check = _check(suspects)
    tried = _what_was_tried(failed)
    if _has_error(outcome):
        static = _STATIC if outcome.is_of_sizes else ""
        fact = f"{tried}, but the model fails: {outcome}"
        at = failing_node.line(failed)
        node = f"The node is of {at.with_code}" if at else ""
        advice = _advice(failed, exporter_errors.hint(outcome), check, static)
        places = (*_places(suspects), *filter(None, (at,)))
        return Cause(join_sentences((fact, node)), places, advice, is_vague=True)
    causes = _LIKELY[outcome.fault]
    if failed.report.traced.constants and failed.export.exporter == "TorchScript":
        causes = f"values that torch.jit.trace turns into constants, and {causes}"
    advice = _advice(failed, check, f"Likely causes: {causes}")
    return Cause(f"{tried}, but the model fails", _places(suspects), advice, is_vague=True)


def _suspects(failed: FailedExport, named: Sequence[str]) -> list[RecordedCall]:
    """Return the calls of named operators, and those that order equal values."""
    report, export = failed.report, failed.export
    calls = report.calls_of(export)
    return [c for c in calls if c.op in named or report.alone.is_of_order(c, export)]


def _check(calls: Sequence[RecordedCall]) -> str:
    """Return advice to check these calls, if there are some."""
    at = with_lines(calls)
    return f"Check {join_words(at)}" if at else ""


def _places(calls: Sequence[RecordedCall]) -> tuple[Place, ...]:
    return tuple(place for call in calls for place in call.places)


def _has_error(outcome: Outcome) -> bool:
    """Return whether an error says why the model fails, so that no list of causes is needed. That of
    ONNX Runtime for other sizes says only where a size did not fit.
    """
    if not outcome.fails_for_others:
        return outcome.kind in _ERRORS and outcome.fault != "dtypes"
    says_where_alone = outcome.then == "runtime" and outcome.is_of_sizes
    return outcome.then in _ERRORS and not says_where_alone


def _what_was_tried(failed: FailedExport) -> str:
    """Return that the calls are right alone, those that could be tried, and for which inputs."""
    report, export = failed.report, failed.export
    calls = report.calls_of(export)
    tried = [call for call in calls if report.alone.is_tried(call, export)]
    if not tried:
        return _LEFT_OUT if failed.outcome.is_specialised else _UNTRIED
    untried = list(dict.fromkeys(call.op for call in calls if call not in tried))
    every = f"{_ALONE}{_for_inputs(failed)}"
    if not untried:
        return every
    return f"{every} (not tried: {join_words(untried)})"


def _for_inputs(failed: FailedExport) -> str:
    """Return for which inputs the calls could be tried, if not for all."""
    if not failed.outcome.fails_for_others:
        return ""
    report = failed.report
    sets = (*report.target.sizes, *report.target.values)
    is_every = all(len(call.others) == len(sets) for call in report.calls_of(failed.export))
    return "" if is_every else " for those of these inputs with which it can be tried"
