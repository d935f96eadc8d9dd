"""A report → sentences on why the whole model fails, for causes that are no single call's."""

from __future__ import annotations

import re
import tomllib
import traceback
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import torch

from onnxop_runtime.messages import join_words
from onnxop_runtime.operator import registry
from onnxop_runtime.torch_internals import pytree
from onnxop_runtime.verification.differences import difference

from ..trial import places
from ..trial.call import Call
from ..trial.outcome import Outcome, format_error
from ..trial.places import Place
from ..trial.trial import IS_IN_EXPORT
from . import (
    first_difference,
    number_conditions,
    quantised,
    random_numbers,
    read_constants,
    reads,
    sides,
    size_conditions,
    ties,
    traces,
    unknown_nodes,
    vmapped,
)
from .calls import with_lines
from .report import TRACERS, Export, Report
from .rewrites import BOTH_SIDES, only_prints, only_raises, reads_number, rewrite_of

ALONE = "each call is right alone"  # of a model that fails
UNTRIED = "no call could be tried alone"
FACTS = tomllib.loads(Path(__file__).with_name("facts.toml").read_text(encoding="utf-8"))
_MOST_LINES = 4  # in a sentence
# Warnings of torch.jit.trace: of literals, and of tuples, of which the number seldom changes.
_HARMLESS = "torch.tensor results are registered as constants", "Iterating over a tensor"
_SWITCHES = (  # an attribute, and a variable of a condition
    re.compile(r"\b[A-Za-z_][\w.]*\.\w*(?:onnx|export|traceable)\w*\b(?![(.])"),
    re.compile(r"\bif (?:not )?(\w*(?:onnx|export|traceable)\w*)\b(?![(.])"),
)
_NEAR = 25  # lines above and below the line at which an exporter stops
_REFUSED = (
    "export",
    "checker",
    "runtime",
    "crash",
)  # the kinds of outcomes whose error says the cause
_REFUSED_AT_OTHERS = "export", "checker", "crash"  # the same, for other inputs
_STATIC = (
    "If the model never gets other sizes, let the function return dynamic_shapes with bounds, or "
    "scan with --static."
)
_CAUSES = {  # by the cause of an outcome
    "": "sizes and conditions that depend on values, and the order of equal values in sorting.",
    "dtypes": "numbers that Python computes in float64; make them float32 tensors.",
    "values": "operators that round or overflow for such values. If the model never gets them, let the "
    "function return several sets of inputs.",
    "specialised": f"code that needs this size as a Python integer, such as a loop. {_STATIC}",
    "sizes": f"sizes and conditions that Python computes, such as int(x.shape[0]). {_STATIC}",
}


def of_constants(report: Report) -> list[str]:
    """Return a note on the lines at which a trace makes constants, but for those that a cause names;
    those that are mostly harmless only if results are wrong, those of libraries only if results are
    wrong or torch.export stops.
    """
    causes = " ".join(report.causes.values())
    traced = [out.kind for export, out in report.whole.items() if export.exporter == "TorchScript"]
    is_wrong = bool({"first", "values"}.intersection(traced))
    lines = []
    for place, why in report.constants.items():
        is_harmless = any(text in why for text in _HARMLESS)
        is_told = places.is_users(place.file) or is_wrong or "dynamo" in report.stops
        is_told &= f"{place}: " not in causes and f"{place} " not in causes
        if is_told and (is_wrong or not is_harmless) and not only_prints(place):
            lines.append(place)
    if not traced or not lines:
        return []
    note = (
        f"{_some(lines)}: torch.jit.trace turns values into constants here. The TorchScript "
        "exporter's model may be wrong for other inputs. To keep the values dynamic, compute with "
        "tensors."
    )
    return [note]


def _some(lines: Sequence[Place]) -> str:
    """Return the lines as text, the first few of many."""
    shown = [str(place) for place in lines[:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        shown.append(f"{len(lines) - _MOST_LINES} more lines")
    return join_words(shown)


def stops_at(error: Exception) -> Place | None:
    """Return the line, the user's or a library's, at which an exporter's trace stops."""
    frames = traceback.extract_tb(error.__traceback__)
    place = places.of_frames([(frame.filename, frame.lineno or 0) for frame in frames])
    return place or places.of_stack(str(error))


def of_untaken(report: Report, exporter: str, error: Exception) -> str:
    """Return a note on why an exporter sees no calls."""
    instead = _recorded_instead(report, exporter)
    tracer = TRACERS[exporter]
    if isinstance(error, NotImplementedError):
        return f"Scan cannot read the graph of {tracer}: {str(error).rstrip('.')}.{instead}"
    other = or_other(report, exporter)
    known = _constant_result(report, str(error)) or quantised.cause(Outcome("export", str(error)))
    if known:
        return f"{tracer} cannot trace the model: {known}{other}"
    fact = f"{tracer} cannot trace the model: {format_error(error).rstrip('.')}."
    return f"{fact}{_where_it_stops(report, exporter)}{other}{instead}"


def _recorded_instead(report: Report, exporter: str) -> str:
    """Return a sentence on the calls of the other exporter, if that one records some."""
    (other,) = TRACERS.keys() - {exporter}
    if other in report.untaken:
        return ""
    return f" Scan tried the calls that {TRACERS[other]} records instead."


def _where_it_stops(report: Report, exporter: str) -> str:
    """Return sentences on the line at which a trace stops, and on what to change."""
    place = report.stops.get(exporter)
    where = f" It stops at {place.with_code}." if place else ""
    change = "Change this line" if place else "Change the model or its inputs"
    rest = ", or replace its functions as above." if report.functions else "; no spec helps."
    rewrite = _sentence(number_conditions.advice_on(place)) if place else ""
    return (
        f"{where}{_only_traced(report, exporter, place)}{switches(place)} {change}{rest}{rewrite}"
    )


def _only_traced(report: Report, exporter: str, place: Place | None) -> str:
    """Return a sentence on a line that PyTorch alone never runs, as it is made for traces only."""
    if place is None or report.target is None or _is_run(report, place):
        return ""
    return (
        f" PyTorch does not run this line without {TRACERS[exporter]}: a condition before it "
        "differs under a trace."
    )


def _is_run(report: Report, place: Place) -> bool:
    """Return whether PyTorch alone runs the line as Python, for the example inputs."""
    if report.target is None:
        return True
    file, line = places.innermost(place)
    return (file, line) in places.lines_run(report.target.call("dynamo").returned, [file])


def switches(place: Place | None) -> str:
    """Return a sentence on names of switches for exports near the line, such as
    ``config.onnx_export``.
    """
    if place is None:
        return ""
    file, line = places.innermost(place)
    near = places.source_lines(file)[max(line - 1 - _NEAR, 0) : line + _NEAR]
    lines = [text.partition("#")[0] for text in near]
    matches = (pattern.findall(line) for line in lines for pattern in _SWITCHES)
    named = dict.fromkeys(chain.from_iterable(matches))
    names = [name for name in named if not name.startswith(("torch.", "onnx.", "onnxop"))]
    if not names:
        return ""
    return f" {join_words(names)} near this line may be a switch for exports: try it."


def or_other(report: Report, exporter: str) -> str:
    """Return advice to use the other exporter, if the model passes there."""
    right = {e.exporter for e, outcome in report.whole.items() if outcome.is_right} - {exporter}
    text = ""
    for name in sorted(right):
        text += f" Or use the {name} exporter, which exports the model right."
        if name == "TorchScript":
            text += _kept_sides(report)
    return text


def _kept_sides(report: Report) -> str:
    """Return a sentence on the conditions and numbers that a trace keeps."""
    return f" It keeps {kept(report)}." if report.kept_sides else ""


def kept(report: Report) -> str:
    """Return the conditions of which a trace keeps one side, and the numbers that it keeps, as text."""
    return join_words(_facts_of_kept(report, "one side of the", "the"))


def kept_otherwise(report: Report) -> str:
    """Return what other inputs do for which a trace would keep something else, as text."""
    facts = _facts_of_kept(report, "reach another side of the", "change the")
    return " or ".join(facts)


def _facts_of_kept(report: Report, of_condition: str, of_number: str) -> list[str]:
    """Return the lines of kept conditions, and those of kept numbers, each after such words."""
    by_kind: dict[str, list[Place]] = {}
    for place in report.kept_sides:
        by_kind.setdefault("number" if reads_number(place) else "condition", []).append(place)
    texts = {"condition": of_condition, "number": of_number}
    return [
        f"{text} {kind if len(by_kind[kind]) == 1 else f'{kind}s'} at {_some(by_kind[kind])}"
        for kind, text in texts.items()
        if kind in by_kind
    ]


def decisive_conditions(report: Report) -> list[str]:
    """Return a sentence for each condition of which other inputs take another side than the one in
    the file, with what to change.
    """
    sentences = []
    for place, inputs in report.other_sides.items():
        code = places.in_sentence(places.code_of(place.file, place.line))
        sentences.append(
            f"torch.jit.trace keeps one side of the condition at {place}: {code}; the other is "
            f"taken for {inputs}. {rewrite_of(place) or BOTH_SIDES}"
        )
    return sentences


def kept_sides(report: Report, dynamo_error: Exception | None) -> list[Place]:
    """Return the lines of conditions of which a trace keeps one side: those at which it warns, and
    the one at which torch.export stops, if the trace reads a value there. A condition that
    torch.export passes depends on no data; one that only raises gives no results.
    """
    if dynamo_error is None:
        return []
    warned = [place for place, why in report.constants.items() if sides.BRANCH in why]
    lines = [place for place in warned if not only_raises(place)]
    stop = report.stops.get("dynamo")
    if stop is None or "data-dependent" not in str(dynamo_error):
        return lines
    inner = Place(*places.innermost(stop), "")
    texts = [str(place) for place in lines]
    if str(inner) in texts:
        return lines[texts.index(str(inner)) :]  # torch.export has passed those before it
    is_kept = _is_run(report, stop) and not only_raises(inner) and _is_read(report, inner)
    return number_conditions.decided([inner, *lines]) if is_kept else lines


def _is_read(report: Report, line: Place) -> bool:
    """Return whether a trace makes a constant of what Python reads at the line."""
    if report.target is None or str(line) in map(str, report.constants):
        return True
    try:
        every = reads.of_trace(report.target.call("TorchScript"))
    except Exception:  # noqa: BLE001 - of the user's model, or of the trace
        return True
    lines = [read.line for read in every]
    return str(line) in map(str, [*lines, *number_conditions.decided(lines)])


def of_training(report: Report, kinds: Sequence[str]) -> list[str]:
    """Return a note on the modules in training mode, where the exported model differs or is random."""
    if not kinds or all(out.kind in ("right", "order") for out in report.whole.values()):
        return []
    return [
        (
            f"The model is in training mode, which changes the results of {join_words(kinds)}. "
            "Return model.eval()."
        )
    ]


def of_inexact(report: Report) -> list[str]:
    """Return notes on the calls without a finding that an exporter's own rule computes wrongly for
    few values.
    """
    wrong = {(finding.op, export) for finding in report.findings for export in finding.outcomes}
    sentences: list[str] = []
    for op, fact in FACTS["inexact"].items():
        written = [export for export in report.whole if export.exporter in fact["exporters"]]
        exports = [export for export in written if (op, export) not in wrong]
        calls = chain(*(report.calls[export.exporter] for export in exports))
        inexact = [call for call in calls if call.op == op and "float" in call.inputs]
        lines = dict.fromkeys(place.with_code for call in inexact for place in call.places)
        if lines:
            exporters = join_words(map(str, exports))
            sentences.append(f"{exporters}: {op} ({join_words(lines)}) is {fact['text']}.")
    return sentences


def of_cause(report: Report, export: Export, outcome: Outcome) -> list[str]:
    """Return a note on the cause if the model fails in an export, and no finding has it: a node
    that no library has, random numbers, or else where to look.
    """
    if outcome.cause == "model":
        return []
    if has_one_side(report, export, outcome):
        if report.other_sides:
            return [f"{export}: {'. '.join(decisive_conditions(report))}."]
        if report.causes.get(export):
            return [f"{export}: {report.causes[export]}"]
        advice = [*filter(None, map(rewrite_of, report.kept_sides))] or [BOTH_SIDES]
        note = (
            f"{export}: the file has {kept(report)}. {advice[0]}. Or, if the model "
            "never gets such inputs, let the function return several sets of inputs."
        )
        return [note]
    if report.causes.get(export):
        return [f"{export}: {report.causes[export]}"]
    if any(export in finding.outcomes for finding in report.findings):
        return []
    return [f"{export}: {_where_to_look(report, export, outcome)}"]


def decisive_cause(report: Report, export: Export, outcome: Outcome) -> str:
    """Return the cause of a failure that is no single call's, if scan knows it."""
    return (
        unknown_nodes.cause(report, outcome)
        or quantised.cause(outcome)
        or _constant_result(report, outcome.why)
        or random_numbers.cause(report, export, outcome)
        or ties.cause(report, export, outcome)
        or size_conditions.cause(report, outcome)
        or _read_constants(report, export, outcome)
        or _vmap(report, export, outcome)
        or _only_in_trace(report, export, outcome)
        or _first_difference(report, export, outcome)
    )


def _read_constants(report: Report, export: Export, outcome: Outcome) -> str:
    """Return the lines whose constants other inputs change, unless torch.export names the lines of
    sizes, for both exporters.
    """
    if specialised_at(report, export, outcome):
        return ""
    return read_constants.cause(report, export, outcome)


def _first_difference(report: Report, export: Export, outcome: Outcome) -> str:
    """Return from which call on the file has other values, if nothing else says why it is wrong."""
    is_told = bool(outcome.named or specialised_at(report, export, outcome))
    is_told |= export.exporter in report.dynamic_stops and outcome.is_of_sizes
    if is_told or any(export in finding.outcomes for finding in report.findings):
        return ""
    differs = first_difference.cause(report, export, outcome, FACTS["hints"])
    return differs and f"{differs}{or_other(report, export.exporter)}"


def _vmap(report: Report, export: Export, outcome: Outcome) -> str:
    """Return the lines of torch.vmap, unless others are known at which a size is made a constant."""
    if specialised_at(report, export, outcome) or export.exporter in report.dynamic_stops:
        return ""
    return vmapped.cause(report, outcome)


def has_one_side(report: Report, export: Export, outcome: Outcome) -> bool:
    """Return whether a file fails for further inputs alone, and has one side of conditions on data."""
    if outcome.cause == "branch":
        return True
    if outcome.kind != "first" or export.exporter != "TorchScript":
        return False
    has_condition = any(
        sides.BRANCH in report.constants.get(place, "") for place in report.kept_sides
    )
    return has_condition and "data-dependent" in report.untaken.get("dynamo", "")


def registered_rules(report: Report) -> list[str]:
    """Return the operators of the model, each with the package of its rule, where the model's
    module has registered one: exports use it, as they do in the user's process.
    """
    called = {call.op for calls in report.calls.values() for call in calls}
    rules = {
        target: operator.package.name
        for operator in reversed(registry.operators())
        for target in operator.targets
    }
    return [f"{op} ({rules[op]})" for op in sorted(called & rules.keys())]


def _constant_result(report: Report, error: str) -> str:
    """Return a sentence on the results that depend on no input, if the error of the TorchScript
    exporter is about one.
    """
    if traces.CONSTANT_RESULT not in error or report.target is None:
        return ""
    constants = report.constant_results
    verb = "depends" if len(constants) == 1 else "depend"
    return (
        f"{format_indices(constants)} of the model {verb} on no input, which the TorchScript exporter "
        "refuses. Wrap the model in a module that returns the other results only."
    )


def format_indices(results: Sequence[int]) -> str:
    """Return the indices of results as text."""
    noun = "result" if len(results) == 1 else "results"
    return f"{noun} {join_words(map(str, results))}"


def remaining(report: Report, outcome: Outcome) -> str:
    """Return the operators that a refusal of the model with specs names, with their lines, and what
    to call instead.
    """
    parts = []
    for op in dict(outcome.named):
        calls = [call for each in report.calls.values() for call in each if call.op == op]
        lines = dict.fromkeys(str(place) for call in calls for place in call.places)
        at = f" at {join_words(lines)}" if lines else ""
        hint = FACTS["hints"].get(op) or FACTS["instead"].get(op)
        parts.append(f"{op}{at}" + (f"; {hint}" if hint else ""))
    return join_words(parts)


def of_export_only(report: Report) -> list[str]:
    """Return a note on the lines that the model runs in exports alone, with other results."""
    lines = () if report.target is None else report.target.export_only
    if not lines:
        return []
    shown = join_words(line.with_code for line in lines)
    return [
        (
            "Where torch.onnx.is_in_onnx_export() is true, as in exports, the model gives other "
            f"results in PyTorch itself, as it then runs {shown}. To export what it runs else, "
            f'export in this block: with onnxop_runtime.replaced({{"{IS_IN_EXPORT}": lambda: False}})'
        )
    ]


def _only_in_trace(report: Report, export: Export, outcome: Outcome) -> str:
    """Return the lines that run under torch.jit.trace alone, if results of its model are wrong."""
    is_wrong = outcome.kind in ("values", "first") and export.exporter == "TorchScript"
    if not is_wrong or report.target is None:
        return ""
    call = report.target.call("TorchScript")
    if _is_traced_right(call):
        return ""
    only = places.lines_run_only(call.returned, partial(traces.module, call))
    lines = [Place(file, line, places.code_of(file, line)) for file, line in only[:_MOST_LINES]]
    if not lines:
        return ""
    shown = join_words(line.with_code for line in lines)
    return (
        "PyTorch runs these lines under torch.jit.trace alone: "
        f"{shown}.{or_other(report, export.exporter)}"
    )


def _is_traced_right(call: Call) -> bool:
    """Return whether the traced model gives PyTorch's results for the same inputs."""
    try:
        with torch.no_grad():
            results = traces.module(call)(*(tensor.detach().clone() for tensor in call.tensors))
        return not difference(pytree.tree_leaves(results), call.results())
    except Exception:  # noqa: BLE001 - of the user's model, or of the trace
        return False


def _where_to_look(report: Report, export: Export, outcome: Outcome) -> str:
    """Return the calls to check: those that the refusal names, or those that order values; and
    likely causes, unless the refusal names an operator.
    """
    calls = report.tried(export)
    named = [op for op, _ in outcome.named]
    if not calls and outcome.kind in _REFUSED:
        return f"no call could be recorded, so none was tried alone: {outcome}."
    checked = [
        call for call in calls if call.op in named or report.alone_kind(call, export) == "order"
    ]
    at = with_lines(checked)
    where = f" Check {join_words(at)}." if at else ""
    tried = _tried_for(report, export, outcome)
    other = or_other(report, export.exporter)
    if named:
        return f"{ALONE}{tried}, but the model fails at {join_words(named)}.{where}{other}"
    stop = report.dynamic_stops.get(export.exporter)
    if stop is not None and outcome.is_of_unexplained_sizes:
        tracer = TRACERS[export.exporter]
        return (
            f"with dynamic dimensions, {tracer} stops at {stop.with_code}. Change this line."
            f"{_sentence(rewrite_of(stop))} {_STATIC}{other}"
        )
    if lines := specialised_at(report, export, outcome):
        return f"{constant_size(lines)}. {_STATIC}{other}"
    fact = f"{ALONE}{tried}" if calls else UNTRIED
    if _has_error(outcome):
        static = f" {_STATIC}" if outcome.is_of_sizes else ""
        error = f"{str(outcome).rstrip('.')}.{_sentence(_hint_of_error(outcome))}"
        return f"{fact}, but the model fails: {error}{where}{static}{other}"
    causes = _CAUSES[outcome.cause]
    if report.constants and export.exporter == "TorchScript":
        causes = f"values that torch.jit.trace turns into constants, and {causes}"
    return f"{fact}, but the model fails.{where} Likely causes: {causes}{other}"


def _hint_of_error(outcome: Outcome) -> str:
    """Return what to write instead of the line that an error names, if its text is known."""
    return next((hint for text, hint in FACTS["errors"].items() if text in outcome.why), "")


def _has_error(outcome: Outcome) -> bool:
    """Return whether an error says why the model fails, so that no list of causes is needed. That of
    ONNX Runtime for other sizes says only where a size did not fit.
    """
    if outcome.kind != "first":
        return outcome.kind in _REFUSED and outcome.cause != "dtypes"
    is_run_at_others = outcome.then == "runtime" and not outcome.is_of_sizes
    return outcome.then in _REFUSED_AT_OTHERS or is_run_at_others


def specialised_at(report: Report, export: Export, outcome: Outcome) -> tuple[Place, ...]:
    """Return the lines at which a size is made a constant, if a file is wrong for other sizes.
    Those of torch.export are the trace's, too, unless there is scripted code, whose sizes a trace
    keeps.
    """
    if outcome.kind != "first" or outcome.cause not in ("specialised", "sizes"):
        return ()
    every = [outcome, *report.whole.values()]
    lines = next((one.lines for one in every if one.lines), ())
    is_kept = export.exporter == "TorchScript" and report.has_scripted_code
    return () if is_kept else lines[:_MOST_LINES]


def constant_size(lines: Sequence[Place]) -> str:
    """Return that a size is a constant, as these lines need it, and what to write there instead."""
    at = join_words(line.with_code for line in lines)
    rewrites = dict.fromkeys(filter(None, map(rewrite_of, lines)))
    change = (
        ". ".join(rewrites) or "Compute it by operators of PyTorch, which take sizes as they are"
    )
    return (
        "a size is a constant in the file. torch.export, which tells where, needs it as a Python "
        f"integer at {at}. {change}"
    )


def _sentence(text: str) -> str:
    """Return the text as a sentence after others, or ``""`` if there is none."""
    return f" {text}." if text else ""


def _tried_for(report: Report, export: Export, outcome: Outcome) -> str:
    """Return for which inputs the calls could be tried, if not for all."""
    if outcome.kind != "first":
        return ""
    sets = (*report.target.sizes, *report.target.values) if report.target else ()
    is_every = all(len(call.others) == len(sets) for call in report.tried(export))
    return "" if is_every else " for those of these inputs with which it can be tried"


def lines_of(warned: Iterable[tuple[str, int, str]]) -> Iterator[tuple[Place, str]]:
    """Yield the lines, the user's or a library's, of warnings (file, line, text), with the texts."""
    for file, line, text in warned:
        if places.is_changeable(file):
            yield Place(file, line, ""), text
