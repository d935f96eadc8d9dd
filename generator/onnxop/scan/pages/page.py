"""A scan's report → text for people, and data for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from onnxop_runtime.messages import join_words

from ...trial.call import format_arguments
from ...trial.outcome import WORDS, Outcome, indented, lines_by_opset
from ...trial.places import Place
from ..calls.own_functions import OwnFunctionCall
from ..calls.recorded_calls import RecordedCall
from ..model.exports import Export
from ..model.target import Target
from ..one_side import wording
from ..remedies.packaged import BuiltPackage
from ..report.cause import Cause
from ..report.findings import Finding, Remedy
from ..report.report import Report, ScanObserver
from . import next_steps, told_remedies

_MOST_PLACES = 4
_LONG = 80  # of a line of code or an error, to be repeated
_SETS = (
    "Sizes that change together, as those of a cache and of its mask, are tried where the function "
    "returns several sets of inputs."
)
_AS_ABOVE = "as told above"


def format_report(scanned: Report, *, has_verdicts: bool = False) -> str:
    """Return the report as a page: the calls that fail, then a table of the exports. If it follows
    the verdicts (``has_verdicts``), their long errors are not told again.
    """
    shown_places: set[Place] = set()
    told = [*scanned.whole.values()] if has_verdicts else []
    parts = ["\n".join(_lines_of_function(called, shown_places)) for called in scanned.functions]
    is_told: set[str] = set()
    for finding in scanned.findings:
        shown = replace(finding, remedies=tuple(told_remedies.of_finding(scanned, finding)))
        parts.append("\n".join(_lines_of_finding(shown, shown_places, is_told, told)))
    parts += [indented(str(note), "") for note in scanned.notes]
    counts = {
        export: (
            str(len(scanned.traced.calls.get(export.exporter, []))),
            str(_count_failing_calls(scanned, export)),
        )
        for export in scanned.whole
    }
    if scanned.whole:
        parts.append(_sentence_on_inputs(scanned.target))
    whole = _verdicts(scanned, {e: _once(out, told) for e, out in scanned.whole.items()})
    if whole:
        parts.append(_table(whole, counts))
    return "\n\n".join(parts)


def format_verdict(scanned: Report) -> str:
    """Return a line for each export: the outcome for the whole model, which is known before its
    causes.
    """
    return "\n".join(
        indented(f"{export}: the whole model: {told}", "", "    ")
        for export, told in _verdicts(scanned, scanned.whole).items()
    )


class ScanPrinter(ScanObserver):
    """Shows a line for each export of a model that fails in one, and for each operator that fails
    alone.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._lines: set[str] = set()
        self._has_verdicts = False

    def on_whole_model(self, report: Report) -> None:
        if not report.is_right:
            self._show(f"{format_verdict(report)}\n")
            self._has_verdicts = True

    def on_failing_call(self, call: RecordedCall, export: Export, outcome: Outcome) -> None:
        at = f" ({call.places[0]})" if call.places else ""
        line = f"{export}: {call.op} fails alone{at}: {WORDS[outcome.kind]}"
        if line not in self._lines:
            self._show(line)
        self._lines.add(line)

    def show_report(self, scanned: Report) -> None:
        """Show the page of the report, after what was shown before."""
        text = format_report(scanned, has_verdicts=self._has_verdicts)
        if text:
            self._show(f"\n{text}" if self._lines else text)


def _verdicts(scanned: Report, outcomes: Mapping[Export, Outcome]) -> dict[Export, str]:
    """Return the outcomes of the whole model as text."""
    return {
        export: _format_whole_model(scanned, export, outcome)
        for export, outcome in outcomes.items()
    }


def _format_whole_model(scanned: Report, export: Export, outcome: Outcome) -> str:
    """Return the outcome for the whole model, and beside a right one what the file does not
    keep: sides of conditions, and writes to buffers.
    """
    if not outcome.is_right:
        return str(outcome)
    facts = [str(outcome)]
    if scanned.kept.places and export.exporter == "TorchScript":
        facts.append(f"it keeps {wording.kept(scanned.kept.places)}")
    if scanned.target.written.names:
        facts.append(f"it keeps no writes to {scanned.target.written}")
        if export.exporter == "TorchScript":
            facts.append("each run begins with their values after the exporter's own call")
    return "; ".join(facts)


def _count_failing_calls(scanned: Report, export: Export) -> int:
    """Return the number of calls that fail in an export."""
    return sum(1 + len(finding.alike) for finding in scanned.findings_in(export))


def _sentence_on_inputs(target: Target) -> str:
    """Return a sentence on the inputs that were tried."""
    first, varied = target.call("dynamo"), target.dynamic("dynamo")
    tried = f"Tried with {format_arguments(first.tensors, {}) or 'no inputs'}"
    if first.others:
        tried += " and with other values"
    sentences = [f"{tried}."]
    if varied:
        sets = target.sizes if target.others else (varied.tensors,)  # the user's, or the first one
        sizes = "; ".join(format_arguments(tensors, {}) for tensors in sets)
        sentences.append(f"Tried with dynamic dimensions: {sizes}.")
        sentences += _sentences_on_static_dimensions(target)
    return indented(" ".join(sentences), "")


def _sentences_on_static_dimensions(target: Target) -> Iterator[str]:
    """Yield sentences on the dimensions of which no other sizes were tried: why, and how to try some
    that depend on each other.
    """
    call = target.call("dynamo")
    static = [
        (n, d)
        for n, tensor in enumerate(call.tensors)
        for d in range(tensor.dim())
        if d not in target.axes.get(n, ())
    ]
    if not static:
        return
    told = join_words(f"dimension {d} of {call.names[n]}" for n, d in static)
    if target.dynamic_shapes:
        yield f"Static, as in dynamic_shapes, or in the model itself: {told}."
    elif target.others:
        yield f"Static, as all sets have one size there: {told}."
    else:
        yield f"Static, as PyTorch takes none of the other sizes that were tried there: {told}."
        if len({n for n, _ in static}) > 1:
            yield _SETS


def closing_lines(
    scanned: Report,
    written: Mapping[str, str],
    package: BuiltPackage | None,
    folder: Path | None,
    why_none: str = "",
    *,
    is_build_wanted: bool,
) -> Iterator[str]:
    """Yield lines on what was written and built, or ``why_none`` was, and what to do next."""
    if written:
        yield ""
    for file, content in written.items():
        yield f"Wrote {file}: {content}"
    if is_build_wanted and package is None:
        yield ""
        yield f"Built no package: {why_none or _why_none(scanned)}"
    if package is not None:
        yield ""
        yield from _lines_of_package(scanned, package)
    yield ""
    yield from next_steps.steps(scanned, package, folder)


def _why_none(scanned: Report) -> str:
    """Return why no package was built."""
    if scanned.stopped:
        return "the scan was stopped"
    if scanned.is_right:
        return "the model is right without one"
    if scanned.with_specs.keys() - scanned.untold_specs:
        return "with the specs, the model still fails; see above"
    if scanned.findings and all(map(scanned.is_blocked, scanned.whole)):
        return "what remains, no spec mends; see above"
    return "no spec helps"


def _lines_of_package(scanned: Report, package: BuiltPackage) -> Iterator[str]:
    for file, header in package.left_out.items():
        yield (
            f"Left out {file}: its kernel {header} is a skeleton; write its compute(), and run "
            "this again"
        )
    for file in package.kept:
        yield f"Kept the former file as {file}"
    yield (
        f"Built and installed {package.folder}, replacing any former {package.name}. With the "
        "package:"
    )
    yield _table(_verdicts(scanned, package.whole))


def report_as_data(
    scanned: Report, written: Mapping[str, str], package: BuiltPackage | None, folder: Path | None
) -> dict[str, Any]:
    """Return the report as data for programs."""

    def outcomes(of: Mapping[Export, Outcome]) -> list[dict[str, Any]]:
        return [{**asdict(export), **_outcome_as_data(outcome)} for export, outcome in of.items()]

    return {
        "model": scanned.target.name,
        "right": package.is_right if package else scanned.is_right,
        "whole": outcomes(scanned.whole),
        "calls": {exporter: len(calls) for exporter, calls in scanned.traced.calls.items()},
        "findings": [
            {
                "op": finding.op,
                "call": finding.call.inputs,
                "alike": [call.inputs for call in finding.alike],
                "count": finding.count,
                "places": [asdict(place) for place in finding.places],
                "outcomes": outcomes(finding.outcomes),
                "remedies": [asdict(one) for one in told_remedies.of_finding(scanned, finding)],
            }
            for finding in scanned.findings
        ],
        "functions": [
            {
                "name": called.name,
                "call": str(called),
                "places": [asdict(p) for p in called.places],
                "remedy": called.remedy,
            }
            for called in scanned.functions
        ],
        "notes": [str(note) for note in scanned.notes],
        "causes": [{**asdict(e), **_cause_as_data(cause)} for e, cause in scanned.causes.items()],
        "kept_sides": [asdict(place) for place in scanned.kept.places],
        "written_buffers": scanned.target.written.names,
        "stopped": scanned.stopped,
        "next": [*next_steps.steps(scanned, package, folder)],
        "inputs": _sentence_on_inputs(scanned.target) if scanned.whole else "",
        "written": dict(written),
        "package": {**vars(package), "whole": outcomes(package.whole)} if package else None,
    }


def _outcome_as_data(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as data, without tensors."""
    data = asdict(outcome.without_tensors())
    del data["beyond"], data["exact"], data["cpu_seconds"]
    return data | {"inputs": format_arguments(outcome.inputs, {})}


def _cause_as_data(cause: Cause) -> dict[str, Any]:
    """Return a cause as data."""
    places = [asdict(place) for place in cause.places]
    return {"fact": cause.fact, "advice": cause.advice, "places": places}


def _lines_of_function(call: OwnFunctionCall, shown_places: set[Place]) -> Iterator[str]:
    yield indented(str(call), "", "    ")
    yield from _places(call.places, shown_places)
    yield indented(f"{call.kind}; exporters may fail to trace it", "  ", "      ")
    yield indented(f"remedy: {call.remedy}", "  ", "      ")


def _once(outcome: Outcome, told: Sequence[Outcome]) -> Outcome:
    """Return the outcome without its error, if that is long and of an outcome that is told above."""
    is_short = outcome.is_right or len(str(outcome)) < _LONG
    if is_short or not any(_error_of(outcome) in former.why for former in told):
        return outcome
    return replace(outcome, why=_AS_ABOVE)


def _error_of(outcome: Outcome) -> str:
    """Return the error of an outcome without the inputs of which it is."""
    _, dynamic, error = outcome.why.partition(" with dynamic dimensions")
    return error if dynamic else outcome.why


def _lines_of_finding(
    finding: Finding, shown_places: set[Place], shown_texts: set[str], told: Sequence[Outcome]
) -> Iterator[str]:
    yield indented(_calls_of(finding), "", "    ")
    yield from _places(finding.places, shown_places)
    for text, exporters in _exporters_by_outcome(finding, told).items():
        yield indented(f"{' and '.join(exporters)}, {text}", "  ", "      ")
    for index, remedy in enumerate(finding.remedies):
        if remedy.kind == "trace":
            yield from _first_of_equal(remedy, shown_texts)
            continue
        is_for_some = 0 < len(remedy.fixes) < len(finding.outcomes)
        fixes = f" (for {' and '.join(remedy.fixes)} only)" if is_for_some else ""
        yield indented(f"{_label(remedy, index)}: {remedy.text}{fixes}", "  ", "      ")


def _first_of_equal(remedy: Remedy, shown_texts: set[str]) -> Iterator[str]:
    """Yield the first of equal remedies, which a note in the report explains."""
    if remedy.text not in shown_texts:
        yield indented(f"note: {remedy.text}; see the note below", "  ", "      ")
    shown_texts.add(remedy.text)


def _calls_of(finding: Finding) -> str:
    """Return the first call of a finding, and how many others there are."""
    text = f"{finding.op}({finding.call.inputs})"
    if finding.alike:
        noun = "call" if len(finding.alike) == 1 else "calls"
        text += f" and {len(finding.alike)} more {noun} with other arguments"
    if finding.count > 1 + len(finding.alike):
        text += f", {finding.count} times"
    return text


def _exporters_by_outcome(finding: Finding, told: Sequence[Outcome]) -> dict[str, list[str]]:
    """Return the outcomes at ranges of opsets, as text, with the exporters that have them."""
    by_exporter: dict[str, dict[int, Outcome]] = {}
    for export, outcome in finding.outcomes.items():
        by_exporter.setdefault(export.exporter, {})[export.opset] = _once(outcome, told)
    exporters: dict[str, list[str]] = {}
    for exporter, outcomes in by_exporter.items():
        for text in lines_by_opset(outcomes):
            exporters.setdefault(text, []).append(exporter)
    return exporters


def _label(remedy: Remedy, index: int) -> str:
    if remedy.kind == "none":
        return "note"
    return "remedy" if index == 0 else "or"


def _places(places: Sequence[Place], shown_places: set[Place]) -> Iterator[str]:
    """Yield a line for each place, with long code only the first time."""
    for place in places[:_MOST_PLACES]:
        is_known = len(place.code) > _LONG and place in shown_places
        shown_places.add(place)
        code = f"{place.code[:_LONG]}... (as above)" if is_known else place.code
        yield f"  {place}: {code}"
        if place.through:
            yield f"    {place.through}: {place.through_code}"
    if (more := len(places) - _MOST_PLACES) > 0:
        yield f"  and {more} more places"


def _table(
    whole: Mapping[Export, str], counts: Mapping[Export, tuple[str, ...]] | None = None
) -> str:
    """Return a line for each export: the number of calls, of failing calls, and the whole model."""
    titles = ("calls", "failing") if counts else ()
    rows = [["exporter", "opset", *titles, "whole model"]]
    for export, outcome in whole.items():
        cells = counts[export] if counts else ()
        rows.append([export.exporter, str(export.opset), *cells, outcome])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *numbers, last in rows:
        pairs = zip(numbers, widths[1:], strict=False)
        head = "  ".join([first.ljust(widths[0]), *(w.rjust(n) for w, n in pairs), ""])
        lines.append(indented(last, head, " " * len(head)))
    return "\n".join(lines)
