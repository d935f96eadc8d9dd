"""Calls that fail alone for some of several inputs → what they give for the example inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...trial.outcome import Outcome
from ..model.exports import Progress
from ..report.report import Report
from . import single_calls, whole_model
from .single_calls import Attempt

_SIZE_OPERATORS = ("aten::sym_size", "int")
"""Named in errors about sizes of complex inputs."""


def try_for_example_inputs(
    report: Report, attempts: Sequence[Attempt], progress: Progress
) -> Iterator[tuple[Attempt, Outcome]]:
    """Try the calls that fail for all inputs with the example inputs only, and yield their
    outcomes. Those that fail there, too, are right if the whole model passes, but for wrong
    results where the model has wrong results for other inputs: the example may hide them.
    """
    at_first_inputs = {
        Attempt(replace(attempt.call, others=[]), attempt.export): attempt
        for attempt in attempts
        if _may_be_right(report, attempt)
    }
    label = "calls for the example inputs"
    for attempt, outcome in single_calls.try_each([*at_first_inputs], progress, label):
        failed = at_first_inputs[attempt]
        yield failed, _outcome(report, failed, outcome)


def _may_be_right(report: Report, attempt: Attempt) -> bool:
    """Return whether a call that fails for all inputs may be right for the example inputs."""
    outcome = report.alone.outcomes[attempt.call, attempt.export]
    if outcome.is_right or not attempt.call.others:
        return False
    is_model_right = report.whole[attempt.export].fails_for_others
    return is_model_right or not outcome.has_no_rule or _is_of_sizes(report, attempt)


def _outcome(report: Report, failed: Attempt, at_first: Outcome) -> Outcome:
    """Return the outcome of a call that fails for all inputs, from that ``at_first`` inputs."""
    if at_first.is_right and _is_of_sizes(report, failed):
        return at_first
    former = report.alone.outcomes[failed.call, failed.export]
    if at_first.is_right:
        return whole_model.right_for_example_only(former)
    whole = report.whole[failed.export]
    if not whole.fails_for_others:
        return at_first
    is_suspect = "values" in (former.kind, former.then) and whole.then == "values"
    return former if is_suspect else Outcome("right")


def _is_of_sizes(report: Report, attempt: Attempt) -> bool:
    """Return whether the call alone fails at sizes of complex inputs, which the whole model does
    not have.
    """
    named = report.alone.outcomes[attempt.call, attempt.export].named
    return _SIZE_OPERATORS in named and _SIZE_OPERATORS not in report.whole[attempt.export].named
