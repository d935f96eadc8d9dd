"""A model that the TorchScript exporter refuses → its results that depend on no input."""

from __future__ import annotations

from collections.abc import Sequence

from onnxop_runtime.messages import join_words

from ..calls import traces
from ..calls.traces import CONSTANT_RESULT
from ..report.cause import Cause
from ..report.failed_export import FailedExport
from ..report.report import Report


def find_constant_results(report: Report) -> list[int]:
    """Return the indices of the model's results that depend on no input, if an exporter refuses the
    model for one. To find out takes an export for each result.
    """
    errors = [outcome.why for outcome in report.whole.values() if not outcome.is_right]
    errors += map(str, report.tracer_refusals.values())
    if not any(CONSTANT_RESULT in error for error in errors):
        return []
    return traces.constant_results(report.target.call("TorchScript"))


def cause(failed: FailedExport) -> Cause | None:
    """Return the results that depend on no input, if the exporter refuses these."""
    if CONSTANT_RESULT not in failed.outcome.why:
        return None
    constants = failed.report.constant_results
    verb = "depends" if len(constants) == 1 else "depend"
    return Cause(
        f"{format_indices(constants)} of the model {verb} on no input, which the TorchScript exporter "
        "refuses",
        advice="Wrap the model in a module that returns the other results only",
    )


def format_indices(results: Sequence[int]) -> str:
    """Return the indices of results as text."""
    noun = "result" if len(results) == 1 else "results"
    return f"{noun} {join_words(map(str, results))}"
