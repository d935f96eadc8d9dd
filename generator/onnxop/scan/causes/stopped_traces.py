"""An exporter that refuses a model → why its tracer sees no calls."""

from __future__ import annotations

from ...trial.outcome import Outcome, format_error
from ...trial.places import Place
from ..model.exports import TRACERS
from ..report.cause import Cause, Note, after, sentence
from ..report.failed_export import FailedExport
from ..report.report import Report
from ..source import number_conditions
from . import exporter_errors, other_exporter, switches


def note(report: Report, exporter: str, error: Exception) -> Note:
    """Return a note on why an exporter sees no calls."""
    instead = _recorded_instead(report, exporter)
    tracer = TRACERS[exporter]
    if isinstance(error, NotImplementedError):
        text = f"Scan cannot read the graph of {tracer}: {sentence(str(error))}{instead}"
        return Note(text, exporter=exporter)
    other = after(other_exporter.use(report, exporter, is_alternative=True))
    export = next(export for export in report.whole if export.exporter == exporter)
    refusal = Outcome("export", str(error))
    cause = exporter_errors.cause(FailedExport(report, export, refusal))
    if cause:
        text = f"{tracer} cannot trace the model: {sentence(str(cause))}{other}"
        return Note(text, exporter=exporter, cause=cause)
    fact = f"{tracer} cannot trace the model: {sentence(format_error(error))}"
    text = f"{fact}{_where_it_stops(report, exporter)}{other}{instead}"
    return Note(text, exporter=exporter)


def stop(exporter: str, place: Place, error: Exception | None) -> Cause:
    """Return the line at which an exporter's trace stops, as a cause, with what to write there: what
    its code tells, or the error.
    """
    return Cause(
        f"{TRACERS[exporter]} stops at {place.with_code}",
        (place,),
        number_conditions.advice_on(place) or _hint(error),
        tuple(number_conditions.conditions_on(place)),
    )


def _recorded_instead(report: Report, exporter: str) -> str:
    """Return a sentence on the calls of the other exporter, if that one records some."""
    (other,) = TRACERS.keys() - {exporter}
    if other in report.tracer_refusals:
        return ""
    return f" Scan tried the calls that {TRACERS[other]} records instead."


def _where_it_stops(report: Report, exporter: str) -> str:
    """Return sentences on the line at which a trace stops, and on what to change."""
    place = report.traced.stops.get(exporter)
    where = f" It stops at {place.with_code}." if place else ""
    change = _what_to_change(place)
    rest = ", or replace its functions as above." if report.functions else "; no spec helps."
    of_line = number_conditions.advice_on(place) if place else ""
    rewrite = after(of_line or _hint(report.traced.errors.get(exporter)))
    only_traced = _only_traced(report, exporter, place)
    return f"{where}{only_traced}{switches.near(place)} {change}{rest}{rewrite}"


def _hint(error: Exception | None) -> str:
    """Return what to write instead of the line that an error names, if its text is known."""
    return exporter_errors.hint(Outcome("export", str(error)))


def _what_to_change(place: Place | None) -> str:
    """Return what has to change for a trace to pass a line."""
    if place is None:
        return "Change the model or its inputs"
    return "Change this call" if place.within else "Change this line"


def _only_traced(report: Report, exporter: str, place: Place | None) -> str:
    """Return a sentence on a line that PyTorch alone never runs, as it is made for traces only."""
    if place is None or report.target.runs(place):
        return ""
    return (
        f" PyTorch does not run this line without {TRACERS[exporter]}: a condition before it "
        "differs under a trace."
    )
