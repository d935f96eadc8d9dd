"""The calls of a model that draw random numbers → what to know of an exported file."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from onnxop_runtime.messages import join_words

from ...trial.outcome import Outcome
from ..calls.recorded_calls import RecordedCall, with_lines
from ..model.exports import Export
from ..report.cause import Cause
from ..report.failed_export import FailedExport
from ..report.report import Report

_ANEW = (
    "The exported file draws new numbers in each run, whatever torch.manual_seed says. Draw them "
    "once and keep them in a buffer, as self.register_buffer does, or make them an input of the "
    "model"
)


def draws(call: RecordedCall) -> bool:
    """Return whether the call's results differ from run to run."""
    if torch.Tag.nondeterministic_seeded not in getattr(call.overload, "tags", ()):
        return False
    first, second = call.as_model_call().results(), call.as_model_call().results()
    return any(not torch.equal(a, b) for a, b in zip(first, second, strict=True))


def cause(failed: FailedExport) -> Cause | None:
    """Return the operators that draw random numbers, if results differ."""
    if not failed.outcome.is_wrong:
        return None
    calls = _drawing(failed.report, failed.export)
    if not calls:
        return None
    return Cause(
        _sentence_on(calls), tuple(place for call in calls for place in call.places), _ANEW
    )


def beside_right(report: Report, export: Export, outcome: Outcome) -> str:
    """Return a sentence on the results that are random in PyTorch, too, and so were not compared."""
    if outcome.kind != "random":
        return ""
    drawing = _sentence_on(_drawing(report, export))
    compared = outcome.why[:1].upper() + outcome.why[1:]
    return (
        f"{compared}, as values differ from call to call in PyTorch, too: {drawing}. "
        f"{_ANEW}; then scan compares."
    )


def _drawing(report: Report, export: Export) -> list[RecordedCall]:
    """Return the calls that draw random numbers."""
    return [call for call in report.traced.calls.get(export.exporter, ()) if draws(call)]


def _sentence_on(calls: Sequence[RecordedCall]) -> str:
    """Return the operators that draw random numbers, with their lines, as text."""
    sentence = "the model draws random numbers"
    return f"{sentence}: {join_words(with_lines(calls))}" if calls else sentence
