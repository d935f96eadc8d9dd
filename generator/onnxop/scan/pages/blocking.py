"""A report of a model that fails → one line for each cause that no remedy which scan tried takes away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from onnxop_runtime.messages import join_words

from ...trial import places as places_of
from ...trial.outcome import Outcome
from ...trial.places import Place
from ..causes import buffers_left, constant_sizes, stopped_traces
from ..causes.facts import FACTS
from ..model.exports import Export
from ..one_side import data_conditions, wording
from ..report.cause import Cause, Note, join_sentences
from ..report.failed_export import FailedExport, failed_exports
from ..report.findings import MENDING, Finding
from ..report.report import Report
from ..source import number_conditions
from ..source.rewrites import BOTH_SIDES, WITH_TENSORS, reads_number, rewrite_of

_MOST_KEPT = 4  # conditions
_KEPT_TOO = "torch.jit.trace keeps what it reads there"


def lines(scanned: Report) -> list[str]:
    """Return a line for each cause, however many exporters it stops."""
    stops = [*_stops(scanned)]
    named = {line for stop in stops for line in stop.lines}
    kept: set[str] = set()
    told: list[Cause] = []
    for cause in _causes(scanned):
        if cause.is_kept and cause.lines and cause.lines <= named:
            kept |= cause.lines
        else:
            told.append(cause)
            named |= cause.lines
    told += _kept_elsewhere(scanned, named)
    return list(dict.fromkeys([*_with_kept(stops, kept), *map(str, told)]))


def outcomes(whole: Mapping[Export, Outcome], how: str) -> list[str]:
    """Return a line for each outcome of a model that fails, in exports of which ``how`` tells."""
    return [
        f"{export}{how}: {outcome}" for export, outcome in whole.items() if not outcome.is_right
    ]


def _with_kept(stops: Sequence[Cause], kept: set[str]) -> Iterator[str]:
    """Yield the lines at which exporters stop, and at the first one of a kept line that the other
    exporter keeps what it reads there.
    """
    for stop in stops:
        is_kept = bool(stop.lines & kept)
        kept = kept - stop.lines
        yield join_sentences((str(stop), _KEPT_TOO)) if is_kept else str(stop)


def _causes(scanned: Report) -> Iterator[Cause]:
    """Yield one cause for each line beside those at which exporters stop."""
    return chain(
        _conditions(scanned),
        _decisive_causes(scanned),
        _calls(scanned),
        _constant_sizes(scanned),
        _with_specs(scanned),
        _untold_failures(scanned),
    )


def _stops(scanned: Report) -> Iterator[Cause]:
    """Yield the lines at which exporters stop, with what to write there instead, but for those that
    a package's export passes.
    """
    right = {export for export, outcome in scanned.with_specs.items() if outcome.is_right}
    stopped = (export for export in scanned.whole if scanned.is_stopped(export))
    wanted = {export.exporter for export in stopped if export not in right}
    for exporter, place in scanned.traced.stops.items():
        if exporter in wanted:
            error = scanned.traced.errors.get(exporter)
            yield stopped_traces.stop(exporter, place, error)


def _conditions(scanned: Report) -> list[Cause]:
    """Return the conditions of which a file has one side, if that is why one fails."""
    by_pytorch = failed_exports(scanned, scanned.whole)
    with_specs = failed_exports(scanned, scanned.with_specs)
    is_cause = any(map(data_conditions.explain, (*by_pytorch, *with_specs)))
    return data_conditions.causes(scanned) if is_cause else []


def _decisive_causes(scanned: Report) -> Iterator[Cause]:
    """Yield the causes that are no single call's, those of several exports once."""
    exports: dict[Cause, list[str]] = {}
    for export, cause in scanned.causes.items():
        exports.setdefault(cause, []).append(str(export))
    for cause, names in exports.items():
        yield replace(cause, exports=tuple(names))


def _calls(scanned: Report) -> Iterator[Cause]:
    """Yield what to do about calls that no spec mends, those of one remedy together. Calls that wait
    for a trace to pass have the line at which it stops.
    """
    findings: dict[str, list[Finding]] = {}
    for finding in scanned.findings:
        waits = bool(finding.remedies) and finding.remedies[-1].kind == "trace"
        is_mended = finding.has_remedy("opset", *MENDING)
        if waits or is_mended or _is_right_elsewhere(scanned, finding):
            continue
        told = finding.remedies[-1].text if finding.remedies else "no remedy was tried"
        findings.setdefault(told, []).append(finding)
    for told, alike in findings.items():
        names = [f"{one.op} ({one.places[0]})" if one.places else one.op for one in alike]
        places = tuple(one.places[0] for one in alike if one.places)
        yield Cause(told, places, exports=tuple(dict.fromkeys(names)))


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


def _constant_sizes(scanned: Report) -> Iterator[Cause]:
    """Yield the lines that need a size as a Python integer, if these are what is left."""
    sizes = _constant_size_lines(scanned)
    if sizes:
        cause = constant_sizes.cause_at(next(iter(sizes.values())))
        yield replace(cause, exports=tuple(map(str, sizes)))


def _with_specs(scanned: Report) -> Iterator[Cause]:
    """Yield what is left of the model's failures with the specs."""
    sizes = _constant_size_lines(scanned)
    for failed in failed_exports(scanned, scanned.with_specs):
        export = failed.export
        is_told = export in sizes or export in scanned.causes or export in scanned.untold_specs
        is_told = is_told or data_conditions.explain(failed)
        if not is_told:
            cause = buffers_left.cause(failed) or remaining(scanned, failed.outcome)
            yield replace(cause, exports=(f"{export}, with the specs",))


def remaining(scanned: Report, outcome: Outcome) -> Cause:
    """Return the operators that a refusal of the model with specs names, with their lines, and what
    to call instead; or the outcome, if it names none.
    """
    if not outcome.named:
        return Cause(str(outcome))
    parts: list[str] = []
    places: list[Place] = []
    for op in dict(outcome.named):
        calls = scanned.traced.calls_of(op)
        lines = dict.fromkeys(str(place) for call in calls for place in call.places)
        at = f" at {join_words(lines)}" if lines else ""
        hint = FACTS["hints"].get(op) or FACTS["instead"].get(op)
        parts.append(f"{op}{at}" + (f"; {hint}" if hint else ""))
        places += [place for call in calls for place in call.places]
    return Cause(f"remaining: {join_words(parts)}", tuple(places))


def _untold_failures(scanned: Report) -> Iterator[Cause]:
    """Yield what notes tell of exports that fail, or else the outcomes, of those not told above."""
    for failed in failed_exports(scanned, scanned.whole):
        if _is_told(failed):
            continue
        told = [note for note in scanned.notes if _explains(note, failed.export)]
        if not told:
            yield Cause(str(failed.outcome), exports=(str(failed.export),))
        elif (cause := told[0].cause) is not None:
            yield Cause(told[0].text, cause.places, mentioned=cause.mentioned)
        else:
            yield Cause(told[0].text)


def _explains(note: Note, export: Export) -> bool:
    return export in note.exports or note.exporter == export.exporter


def _is_told(failed: FailedExport) -> bool:
    """Return whether another line tells why an export fails."""
    scanned, export = failed.report, failed.export
    is_stopped = (
        export.exporter in scanned.traced.stops and export.exporter in scanned.tracer_refusals
    )
    has_specs = export in scanned.with_specs and export not in scanned.untold_specs
    is_told = is_stopped or has_specs or bool(scanned.findings_in(export))
    is_told |= export in _constant_size_lines(scanned) or export in scanned.causes
    return is_told or data_conditions.explain(failed)


def _constant_size_lines(scanned: Report) -> dict[Export, Sequence[Place]]:
    """Return the exports in which lines that need a size as a Python integer are what is left, with
    these lines.
    """
    with_findings = {export for finding in scanned.findings for export in finding.outcomes}
    with_findings -= scanned.with_specs.keys()
    lines: dict[Export, Sequence[Place]] = {}
    for failed in failed_exports(scanned, scanned.whole | scanned.with_specs):
        is_explained = failed.export in with_findings or data_conditions.may_be_cause(failed)
        at = constant_sizes.lines(failed)
        if at and not is_explained:
            lines[failed.export] = at
    return lines


def _kept_elsewhere(scanned: Report, named: set[str]) -> Iterator[Cause]:
    """Yield the conditions, of which `torch.jit.trace` keeps one side, and the numbers that it
    keeps, that are at no line which is named already, and of which other inputs may take the other
    side, or change them: files are wrong for these once the rest is right.
    """
    traced = scanned.outcomes_of_traces
    if not traced or any(outcome.is_right for outcome in traced):
        return
    left = named | set(map(str, scanned.kept.one_sided))
    by_line = {str(place): place for place in scanned.kept.places}
    places = [place for line, place in by_line.items() if line not in left]
    for place in places[:_MOST_KEPT]:
        if not reads_number(place):
            code = place.code or places_of.code_of(place.file, place.line)
            fact = f"torch.jit.trace keeps {wording.kept([place])}"
            advice = rewrite_of(place) or BOTH_SIDES
            yield Cause(f"{fact}: {places_of.in_sentence(code)}", (place,), advice, is_kept=True)
    numbers = [place for place in scanned.kept.numbers if str(place) not in named]
    for place in numbers[:_MOST_KEPT]:
        both = f"{place.with_code} ({scanned.kept.numbers[place]})"
        advice = number_conditions.advice_on(place) or WITH_TENSORS
        yield Cause(f"torch.jit.trace keeps the number at {both}", (place,), advice, is_kept=True)
