"""An exporter's error, or ONNX Runtime's → the cause that its text tells."""

from __future__ import annotations

from ...trial.outcome import Outcome
from ..report.cause import Cause
from ..report.failed_export import FailedExport
from . import constant_results, failing_dft, quantised, unknown_nodes
from .facts import FACTS

_SEARCHES = unknown_nodes.cause, quantised.cause, constant_results.cause, failing_dft.cause
"""Each looks for another pattern in the error."""


def cause(failed: FailedExport) -> Cause | None:
    """Return the cause that the error of an export tells; None if it tells none."""
    return next(filter(None, (search(failed) for search in _SEARCHES)), None)


def refusal(failed: FailedExport) -> Cause | None:
    """Return a refusal whose text is known as the cause, unless a line is known at which it stops."""
    is_at_line = failed.export.exporter in failed.report.traced.stops
    known = "" if is_at_line or not failed.outcome.is_refused else hint(failed.outcome)
    return Cause(str(failed.outcome), advice=known) if known else None


def hint(outcome: Outcome) -> str:
    """Return what to write instead of the line that an error names, if its text is known."""
    return next((hint for text, hint in FACTS["errors"].items() if text in outcome.why), "")
