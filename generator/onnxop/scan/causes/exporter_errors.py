"""An exporter's error, or ONNX Runtime's → the cause that its text tells."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...trial.outcome import Outcome
from ..calls.traces import CONSTANT_RESULT
from ..report.cause import Cause
from ..report.report import Report
from . import constant_results, quantised, unknown_nodes
from .facts import FACTS

_Find = Callable[[Report, Outcome, re.Match[str]], Cause | None]

_ERRORS: tuple[tuple[re.Pattern[str], _Find], ...] = (
    (unknown_nodes.UNREGISTERED, unknown_nodes.cause),
    (quantised.PACKED, lambda _report, outcome, _match: quantised.cause(outcome)),
    (re.compile(CONSTANT_RESULT), lambda report, _outcome, _match: constant_results.cause(report)),
)
"""By a pattern of the error: the function that returns its cause, or None if that is another."""


def cause(report: Report, outcome: Outcome) -> Cause | None:
    """Return the cause that the error of an outcome tells; None if it tells none."""
    for pattern, find in _ERRORS:
        match = pattern.search(outcome.why)
        if match and (known := find(report, outcome, match)):
            return known
    return None


def hint(outcome: Outcome) -> str:
    """Return what to write instead of the line that an error names, if its text is known."""
    return next((hint for text, hint in FACTS["errors"].items() if text in outcome.why), "")
