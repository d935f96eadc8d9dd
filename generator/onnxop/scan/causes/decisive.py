"""An export that fails → its cause, if that is no single call's and scan knows it."""

from __future__ import annotations

from collections.abc import Callable

from ...trial.outcome import Outcome
from ..model.exports import Export
from ..report.cause import Cause
from ..report.report import Report
from . import (
    constant_sizes,
    exporter_errors,
    first_difference,
    only_in_trace,
    quantised,
    random_numbers,
    read_constants,
    size_conditions,
    ties,
    vmapped,
)

_Search = Callable[[Report, Export, Outcome], Cause | None]


def cause(report: Report, export: Export, outcome: Outcome) -> Cause | None:
    """Return the cause of a failure that is no single call's, or None if scan does not know it. Of
    an exporter that does not trace the model, a note tells all but packed weights.
    """
    searches = (_packed_weights,) if export.exporter in report.tracer_refusals else _SEARCHES
    for search in searches:
        known = search(report, export, outcome)
        if known is not None:
            return known
    return None


def _packed_weights(_report: Report, _export: Export, outcome: Outcome) -> Cause | None:
    """Return the packed weights that the error tells."""
    return quantised.cause(outcome) if quantised.PACKED.search(outcome.why) else None


def _error(report: Report, _export: Export, outcome: Outcome) -> Cause | None:
    """Return the cause that the error tells."""
    return exporter_errors.cause(report, outcome)


def _size_conditions(report: Report, _export: Export, outcome: Outcome) -> Cause | None:
    """Return the conditions of which other sizes take another side."""
    return size_conditions.cause(report, outcome)


def _read_constants(report: Report, export: Export, outcome: Outcome) -> Cause | None:
    """Return the lines whose constants other inputs change, unless torch.export names the lines of
    sizes, for both exporters.
    """
    if constant_sizes.lines(report, export, outcome):
        return None
    return read_constants.cause(report, export, outcome)


def _vmap(report: Report, export: Export, outcome: Outcome) -> Cause | None:
    """Return the lines of torch.vmap, unless others are known at which a size is made a constant."""
    is_told = export.exporter in report.alone.stops
    if is_told or constant_sizes.lines(report, export, outcome):
        return None
    return vmapped.cause(report, outcome)


def _first_difference(report: Report, export: Export, outcome: Outcome) -> Cause | None:
    """Return from which call on the file has other values, if nothing else says why it is wrong."""
    is_told = bool(outcome.named or constant_sizes.lines(report, export, outcome))
    is_told |= export.exporter in report.alone.stops and outcome.is_of_sizes
    if is_told or report.findings_in(export):
        return None
    return first_difference.cause(report, export, outcome)


_SEARCHES: tuple[_Search, ...] = (
    _error,
    random_numbers.cause,
    ties.cause,
    _size_conditions,
    _read_constants,
    _vmap,
    only_in_trace.cause,
    _first_difference,
)
"""The searches for a cause, those of the surest and the cheapest first."""
