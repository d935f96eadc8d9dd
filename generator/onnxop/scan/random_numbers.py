"""The calls of a model that draw random numbers → what to know of an exported file."""

from __future__ import annotations

import torch

from onnxop_runtime.messages import join_words

from ..trial.outcome import Outcome
from .calls import Recorded, with_lines
from .report import Export, Report

_ANEW = (
    "The exported file draws new numbers in each run, whatever torch.manual_seed says. Draw them "
    "once and keep them in a buffer, as self.register_buffer does, or make them an input of the "
    "model"
)


def draws(call: Recorded) -> bool:
    """Return whether the call's results differ from run to run."""
    if torch.Tag.nondeterministic_seeded not in getattr(call.overload, "tags", ()):
        return False
    first, second = call.call().results(), call.call().results()
    return any(not torch.equal(a, b) for a, b in zip(first, second, strict=True))


def cause(report: Report, export: Export, outcome: Outcome) -> str:
    """Return the operators that draw random numbers, if results differ."""
    if outcome.kind not in ("values", "first"):
        return ""
    drawing = _drawing(report, export)
    return f"{drawing}. {_ANEW}." if drawing else ""


def beside_right(report: Report, export: Export, outcome: Outcome) -> str:
    """Return a sentence on the results that are random in PyTorch, too, and so were not compared."""
    if outcome.kind != "random":
        return ""
    drawing = _drawing(report, export) or "the model draws random numbers"
    compared = outcome.why[:1].upper() + outcome.why[1:]
    return (
        f"{compared}, as values differ from call to call in PyTorch, too: {drawing}. "
        f"{_ANEW}; then scan compares."
    )


def _drawing(report: Report, export: Export) -> str:
    """Return the operators that draw random numbers, with their lines, as text."""
    calls = [call for call in report.calls.get(export.exporter, ()) if draws(call)]
    if not calls:
        return ""
    return f"the model draws random numbers: {join_words(with_lines(calls))}"
