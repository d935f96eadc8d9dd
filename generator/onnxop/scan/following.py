"""A scan's report → what to do next: the call that writes a right file, or what blocks it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from onnxop_runtime.messages import join_words

from ..trial import places as places_of
from ..trial.call import format_arguments
from ..trial.outcome import Outcome, indented
from ..trial.places import Place
from ..trial.trial import IS_IN_EXPORT
from . import notes, number_conditions, random_numbers, starters, state
from .dynamic_argument import dynamic_argument
from .packaged import Built
from .report import MENDING, TRACERS, Export, Finding, Report
from .rewrites import BOTH_SIDES, reads_number, rewrite_of

_PLACE = re.compile(r"[\w./~-]+\.py:\d+")
_KEEPS = "torch.jit.trace keeps"
_KEEPS_TOO = "torch.jit.trace keeps what it reads there"
_MOST_KEPT = 4  # conditions
_SPECS = {"gallery", "starter", "unfinished"}  # the remedies that are a spec to write


def steps(scanned: Report, done: Built | None, folder: Path | None) -> Iterator[str]:
    """Yield the lines of the last paragraph: what to do, the call or command for it, and what it
    gives.
    """
    if scanned.stopped:
        yield from _untried(scanned)
    right_with = [e for e, outcome in scanned.with_specs.items() if outcome.is_right]
    plain = [e for e in scanned.right_exports if not scanned.whole[e].how]
    if plain:
        yield from _by_pytorch(scanned, plain[0])
    elif done is not None and (right := [e for e, out in done.whole.items() if out.is_right]):
        yield from _with_package(scanned, done, right[0])
    elif scanned.right_exports:
        yield from _by_pytorch(scanned, scanned.right_exports[0])
    elif scanned.build_failure:
        yield "Next: mend what keeps the package from being built, as told above, and scan again."
    elif right_with and done is None:
        yield "Next: build a package of the specs with"
        trust = " --trust" if scanned.model.endswith(".pt2") else ""
        yield f"  onnxop scan {scanned.model}{trust} --write {folder or 'specs'} --build"
        yield f"It exports this model right ({right_with[0]})."
    elif done is None and folder is None and _has_specs(scanned) and not _is_blocked(scanned):
        yield (
            f"Next: scan with --write DIR to write the specs{_skeletons(scanned)}, or with --build "
            "to build a package of them"
        )
        remaining = [*_blocked(scanned)]
        if remaining:
            yield "Remaining, which no spec mends:"
        yield from remaining
    elif scanned.stopped and not any(_blocked(scanned)):
        yield "Next: scan again, with more time."
    else:
        yield "Next: change what blocks a right file:"
        yield from _blocked(scanned)
        if done is None and _has_specs(scanned):
            yield "Then scan again with --build: specs mend the other calls."
        yield from _for_one_size(scanned)


def _for_one_size(scanned: Report) -> Iterator[str]:
    """Yield the call of an export that is right for the sizes of the example inputs, where other
    sizes alone fail.
    """
    of_sizes = [
        export
        for export, outcome in scanned.whole.items()
        if outcome.is_of_sizes and not notes.has_one_side(scanned, export, outcome)
    ]
    if not of_sizes or scanned.target is None:
        return
    export = of_sizes[0]
    sizes = format_arguments(scanned.target.call(export.exporter).tensors, {})
    yield indented(f"Or, if the model gets no other sizes than {sizes}, export with", "")
    options = f"opset_version={export.opset}, dynamo={export.exporter == 'dynamo'}"
    for line in _lines_of_call(scanned, scanned.whole[export], "torch.onnx.export", options):
        yield f"  {line}"


def _untried(scanned: Report) -> Iterator[str]:
    """Yield what a stopped scan did not try."""
    if not scanned.whole:
        yield f"Stopped by {scanned.stopped}, before the whole model was exported."
        return
    tried = sum(not scanned.whole[export].is_right for _, export in scanned.alone)
    if scanned.untried:
        yield (
            f"Stopped by {scanned.stopped}: of {scanned.untried} calls to try alone, {tried} were "
            "tried."
        )
    else:
        yield f"Stopped by {scanned.stopped}, before single calls were tried."
    if not scanned.calls:
        yield "Not looked for: conditions of which a file keeps one side."
    yield "Not tried: remedies that are not named above."


def _with_package(scanned: Report, done: Built, export: Export) -> Iterator[str]:
    """Yield the call of the package's export."""
    instead = {name: f"{done.name}.{op}" for name, op in done.replaced.items()}
    imported = f"onnxop_runtime and {done.name}" if instead or _export_only(scanned) else done.name
    yield f"Next: import {imported}, and export with"
    exporter = "" if export.exporter == "dynamo" else ", dynamo=False"
    options = f"opset_version={export.opset}{exporter}"
    lines = _lines_of_call(scanned, done.whole[export], f"{done.name}.export", options)
    yield from _with_replaced(scanned, instead, lines)
    yield "You get a file that is right for the inputs above."
    yield from _dynamic(scanned, export, done.whole[export])
    yield from _beside_right(scanned, export, done.whole[export])


def _by_pytorch(scanned: Report, export: Export) -> Iterator[str]:
    """Yield the call of PyTorch's own export, or of the runtime's, if only that is right."""
    is_runtime = scanned.whole[export].how == "runtime"
    function = "onnxop_runtime.export" if is_runtime else "torch.onnx.export"
    yield f"Next: {'import onnxop_runtime, and ' if is_runtime else ''}export with"
    options = f"opset_version={export.opset}, dynamo={export.exporter == 'dynamo'}"
    lines = _lines_of_call(scanned, scanned.whole[export], function, options)
    if is_runtime:
        yield from _with_replaced(scanned, {}, lines)
    else:
        yield from (f"  {line}" for line in lines)
    registered = notes.registered_rules(scanned)
    if registered:
        yield indented(
            "You get a file that is right for the inputs above, in a process that has the rules "
            f"which the model's module registers: {join_words(registered)}.",
            "",
        )
    else:
        yield "You get a file that is right for the inputs above; no package is needed."
    yield from _dynamic(scanned, export, scanned.whole[export])
    yield from _beside_right(scanned, export, scanned.whole[export])


def _export_only(scanned: Report) -> tuple[Place, ...]:
    """Return the lines that the model runs in exports alone, with other results."""
    return () if scanned.target is None else scanned.target.export_only


def _with_replaced(
    scanned: Report, instead: Mapping[str, str], lines: Iterable[str]
) -> Iterator[str]:
    """Yield the lines of a call, in a block that replaces functions, as text, if there are some."""
    every = {**instead, **({IS_IN_EXPORT: "lambda: False"} if _export_only(scanned) else {})}
    if not every:
        yield from (f"  {line}" for line in lines)
        return
    pairs = ", ".join(f'"{name}": {function}' for name, function in every.items())
    yield f"  with onnxop_runtime.replaced({{{pairs}}}):"
    yield from (f"    {line}" for line in lines)


def _beside_right(scanned: Report, export: Export, outcome: Outcome) -> Iterator[str]:
    """Yield sentences on what a right file does not do: take other sides of conditions, give the
    same random numbers, keep what forward writes.
    """
    sentences = [
        random_numbers.beside_right(scanned, export, outcome),
        state.beside_right(scanned, export),
    ]
    if scanned.kept_sides and export.exporter == "TorchScript":
        sentences.append(f"For inputs that {notes.kept_otherwise(scanned)}, it may be wrong.")
    yield from (indented(sentence, "") for sentence in sentences if sentence)


def _dynamic(scanned: Report, export: Export, outcome: Outcome) -> Iterator[str]:
    """Yield a sentence on how to export for other sizes: from which inputs, with which dimensions
    dynamic.
    """
    if scanned.target is None:
        return
    if outcome.awaits_sizes:
        yield "Other sizes were not tried: scan again, with more time."
        return
    call = scanned.target.dynamic(export.exporter)
    if call is None or not call.axes:
        return
    sizes = format_arguments(call.tensors, {})
    added = dynamic_argument(scanned.target, call.axes, export)
    yield indented(f"For other sizes, export from {sizes}, {added}.", "")


def _lines_of_call(scanned: Report, outcome: Outcome, function: str, options: str) -> Iterator[str]:
    """Yield the lines of the call of an export, in the way in which it is right."""
    target = scanned.target
    arguments = 'model, args, "model.onnx"'
    if outcome.how == "results":
        takes = (
            "takes the tensors in the arguments by position, calls the model, and returns its "
            "results"
        )
        dropped = notes.format_indices(outcome.dropped)
        yield f"# plain: a module whose forward {takes} without {dropped}, which no input changes"
        arguments = 'plain, tensors, "model.onnx"'
    elif outcome.how == "tensors":
        yield (
            "# plain: a module whose forward takes the tensors in the arguments by position, and "
            "calls the model"
        )
        arguments = 'plain, tensors, "model.onnx"'
    elif target is not None and target.kwargs:
        arguments += ", kwargs=kwargs"
    elif target is not None and target.args and isinstance(target.args[-1], dict):
        arguments = 'model, (*args, {}), "model.onnx"'
    call = f"{function}({arguments}, {options})"
    if outcome.how == "no_grad":
        yield "with torch.no_grad():"
        call = f"    {call}"
    yield call


def _has_specs(scanned: Report) -> bool:
    """Return whether there are specs to write that may help: not if the model was tried with all of
    them.
    """
    kinds = _kinds(scanned) & _SPECS
    return bool(kinds) and ("unfinished" in kinds or not scanned.with_specs)


def _is_blocked(scanned: Report) -> bool:
    """Return whether no specs make a right file in any requested export."""
    return all(scanned.is_blocked(export) for export in scanned.whole)


def _skeletons(scanned: Report) -> str:
    return " and kernel skeletons to complete" if _kinds(scanned) & _SPECS == {"unfinished"} else ""


def _kinds(scanned: Report) -> set[str]:
    """Return the kinds of remedies, those of the model's own functions among them."""
    kinds = {remedy.kind for finding in scanned.findings for remedy in finding.remedies}
    for called in scanned.functions:
        if called.op:
            kinds.add("unfinished" if called.origin == "node" else "starter")
    return kinds


def _blocked(scanned: Report) -> Iterator[str]:
    """Yield one line for each cause that no remedy which scan tried takes away."""
    stops = [*_stops(scanned)]
    named = {line for stop in stops for line in _lines_in(stop)}
    told: list[str] = []
    for cause in _causes(scanned):
        lines = _lines_in(cause)
        if lines and lines <= named and _KEEPS in cause:
            _add_to(stops, lines)  # one line a cause, however many exporters it stops
        else:
            told.append(cause)
            named |= lines
    every = dict.fromkeys((*stops, *told, *_kept_elsewhere(scanned, named)))
    yield from (indented(cause, "  ", "      ") for cause in every)


def _lines_in(text: str) -> frozenset[str]:
    """Return the places in a text."""
    return frozenset(_PLACE.findall(text))


def _add_to(stops: list[str], lines: frozenset[str]) -> None:
    """Say at the first line of these at which an exporter stops that the other one keeps what it
    reads there.
    """
    for index, stop in enumerate(stops):
        if lines & _lines_in(stop) and _KEEPS_TOO not in stop:
            stops[index] = f"{stop}. {_KEEPS_TOO}"
            return


def _kept_elsewhere(scanned: Report, named: Collection[str]) -> Iterator[str]:
    """Yield the conditions, of which `torch.jit.trace` keeps one side, that are at no line which is
    named already: they are wrong for other inputs once the rest is right.
    """
    traced = [export for export in scanned.whole if export.exporter == "TorchScript"]
    by_line = {str(place): place for place in scanned.kept_sides}
    places = [place for line, place in by_line.items() if line not in named]
    if not traced or any(scanned.whole[export].is_right for export in traced):
        return
    for place in places[:_MOST_KEPT]:
        if not reads_number(place):
            advice = rewrite_of(place) or BOTH_SIDES
            code = places_of.in_sentence(place.code or places_of.code_of(place.file, place.line))
            yield f"torch.jit.trace keeps one side of the condition at {place}: {code}. {advice}"


def _causes(scanned: Report) -> Iterator[str]:
    """Yield one line for each cause beside the lines at which exporters stop."""
    yield from chain(
        _conditions(scanned),
        _decisive_causes(scanned),
        _calls(scanned),
        _constant_sizes(scanned),
        _with_specs(scanned),
        _untold_failures(scanned),
    )


def _stops(scanned: Report) -> Iterator[str]:
    """Yield the lines at which exporters stop, with what to write there instead."""
    wanted = {export.exporter for export in scanned.whole if scanned.is_stopped(export)}
    for exporter, place in scanned.stops.items():
        if exporter in wanted:
            advice = number_conditions.advice_on(place)
            change = f". {advice}" if advice else ""
            yield f"{TRACERS[exporter]} stops at {place.with_code}{change}"


def _conditions(scanned: Report) -> Iterator[str]:
    """Yield the conditions of which a file has one side, if that is why one fails."""
    outcomes = (*scanned.whole.items(), *scanned.with_specs.items())
    untold = [
        (export, outcome)
        for export, outcome in outcomes
        if scanned.other_sides or not scanned.causes.get(export)
    ]
    if any(notes.has_one_side(scanned, export, outcome) for export, outcome in untold):
        every = f"torch.jit.trace keeps {notes.kept(scanned)}"
        yield from notes.decisive_conditions(scanned) or [every]


def _decisive_causes(scanned: Report) -> Iterator[str]:
    """Yield the causes that are no single call's, those of several exports once."""
    exports: dict[str, list[str]] = {}
    for export, cause in scanned.causes.items():
        if cause:
            exports.setdefault(cause, []).append(str(export))
    yield from (f"{join_words(names)}: {cause}" for cause, names in exports.items())


def _calls(scanned: Report) -> Iterator[str]:
    """Yield what to do about calls that no spec mends, those of one remedy together."""
    calls: dict[str, list[str]] = {}
    for finding in scanned.findings:
        if finding.has_remedy("opset", *MENDING) or _is_right_elsewhere(scanned, finding):
            continue
        at = f" ({finding.places[0]})" if finding.places else ""
        told = f": {finding.remedies[-1].text}" if finding.remedies else ": no remedy was tried"
        told = told.removesuffix(starters.SEE_NOTE)
        calls.setdefault(told, []).append(f"{finding.op}{at}")
    for told, names in calls.items():
        yield f"{join_words(dict.fromkeys(names))}{told}"


def _is_right_elsewhere(scanned: Report, finding: Finding) -> bool:
    """Return whether the other exporter has the call right, and what blocks the model there blocks
    it here, too: then less has to change for that one.
    """
    if not finding.has_remedy("exporter"):
        return False
    return all(_is_less_blocked(scanned, export.other, export) for export in finding.outcomes)


def _is_less_blocked(scanned: Report, export: Export, other: Export) -> bool:
    """Return whether all that blocks the model in an export blocks it in the other one, too."""
    here, there = scanned.blocking_calls(export), scanned.blocking_calls(other)
    return not scanned.is_stopped(export) and all(finding in there for finding in here)


def _constant_sizes(scanned: Report) -> Iterator[str]:
    """Yield the lines that need a size as a Python integer, if these are what is left."""
    sizes = _of_sizes(scanned)
    if sizes:
        fact = notes.constant_size(next(iter(sizes.values())))
        yield f"{join_words(map(str, sizes))}: {fact}"


def _with_specs(scanned: Report) -> Iterator[str]:
    """Yield what is left of the model's failures with the specs."""
    sizes = _of_sizes(scanned)
    for export, outcome in scanned.with_specs.items():
        is_told = export in sizes or _has_decisive_condition(scanned, export, outcome)
        is_told |= bool(scanned.causes.get(export))
        if outcome.is_right or is_told:
            continue
        operators = notes.remaining(scanned, outcome)
        fact = f"remaining: {operators}" if operators else str(outcome)
        yield f"{export}, with the specs: {fact}"


def _untold_failures(scanned: Report) -> Iterator[str]:
    """Yield the notes on exports that fail, or else the outcomes, of those not told above."""
    sizes = _of_sizes(scanned)
    for export, outcome in scanned.whole.items():
        is_told = export.exporter in scanned.stops or export in scanned.with_specs
        is_told |= any(export in finding.outcomes for finding in scanned.findings)
        is_told |= export in sizes or bool(scanned.causes.get(export))
        is_told |= _has_decisive_condition(scanned, export, outcome)
        if not is_told and not outcome.is_right:
            starts = f"{export}: ", f"{TRACERS[export.exporter]} cannot"
            told = [note for note in scanned.notes if note.startswith(starts)]
            yield told[0] if told else f"{export}: {outcome}"


def _of_sizes(scanned: Report) -> dict[Export, Sequence[Place]]:
    """Return the exports in which lines that need a size as a Python integer are what is left, with
    these lines.
    """
    last = scanned.whole | scanned.with_specs
    lines = {e: notes.specialised_at(scanned, e, outcome) for e, outcome in last.items()}
    failing = {export for finding in scanned.findings for export in finding.outcomes}
    failing -= scanned.with_specs.keys()
    one_sided = {e for e, outcome in last.items() if notes.has_one_side(scanned, e, outcome)}
    return {e: at for e, at in lines.items() if at and e not in failing | one_sided}


def _has_decisive_condition(scanned: Report, export: Export, outcome: Outcome) -> bool:
    """Return whether a condition is the cause of a failure, of which other inputs take the other
    side.
    """
    return bool(scanned.other_sides) and notes.has_one_side(scanned, export, outcome)
