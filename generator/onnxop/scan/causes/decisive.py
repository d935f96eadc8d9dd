"""An export that fails → its cause, if that is no single call's and scan knows it."""

from __future__ import annotations

from collections.abc import Callable

from ..one_side import size_conditions
from ..report.cause import Cause
from ..report.failed_export import FailedExport
from . import (
    buffers_left,
    constant_sizes,
    exporter_errors,
    first_difference,
    nested_tensors,
    only_in_trace,
    quantised,
    random_numbers,
    read_constants,
    ties,
    vmapped,
)


def cause(failed: FailedExport) -> Cause | None:
    """Return the cause of a failure that is no single call's, or None if scan does not know it. Of
    an exporter that does not trace the model, a note tells all but packed weights and known errors.
    """
    if failed.export.exporter in failed.report.tracer_refusals:
        return quantised.cause(failed) or exporter_errors.refusal(failed)
    return next(filter(None, (search(failed) for search in _SEARCHES)), None)


# ---- Searches for what no surer cause explains ----


def _read_constants(failed: FailedExport) -> Cause | None:
    """Return the lines whose constants other inputs change, unless torch.export names the lines of
    sizes, for both exporters.
    """
    return None if constant_sizes.lines(failed) else read_constants.cause(failed)


def _vmap(failed: FailedExport) -> Cause | None:
    """Return the lines of torch.vmap, unless others are known at which a size is made a constant."""
    if _has_stopped_trace(failed) or constant_sizes.lines(failed):
        return None
    return vmapped.cause(failed)


def _first_difference(failed: FailedExport) -> Cause | None:
    """Return from which call on the file has other values, if nothing else says why it is wrong."""
    if failed.outcome.named or constant_sizes.lines(failed):
        return None
    if failed.outcome.is_of_sizes and _has_stopped_trace(failed):
        return None
    if failed.report.findings_in(failed.export):
        return None
    return first_difference.cause(failed)


def _has_stopped_trace(failed: FailedExport) -> bool:
    """Return whether the line is known at which a trace with dynamic dimensions stops."""
    return failed.export.exporter in failed.report.alone.stops


_SEARCHES: tuple[Callable[[FailedExport], Cause | None], ...] = (
    buffers_left.cause,
    exporter_errors.cause,
    random_numbers.cause,
    nested_tensors.cause,
    ties.cause,
    size_conditions.cause,
    _read_constants,
    _vmap,
    only_in_trace.cause,
    _first_difference,
)
"""The searches for a cause, those of the surest and the cheapest first."""
