"""A call whose order PyTorch leaves open, as ``topk(k, sorted=False)`` → the same call in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..attempts import single_calls
from ..attempts.single_calls import Attempt
from ..calls.recorded_calls import RecordedCall
from ..model.exports import Progress
from ..report.findings import Finding, Remedy
from ..report.report import Report

_TOPK = "aten::topk"  # (input, k, dim, largest, sorted)
_SORTED = 4  # the index of the argument
_ADVICE = (
    "in the model, leave out sorted=False: PyTorch leaves open in which order topk then gives the "
    "same elements, and ONNX Runtime gives another one"
)


def remedies(report: Report, progress: Progress) -> Iterator[tuple[Finding, Remedy]]:
    """Yield to sort for the calls that are right when they do."""
    attempts = {
        Attempt(_in_order(finding.call), export): finding
        for finding in report.findings
        if _is_unsorted(finding.call)
        for export in finding.outcomes
    }
    fixes: dict[Finding, tuple[str, ...]] = {}
    for attempt in single_calls.passing_attempts(attempts, progress, "calls in order"):
        finding = attempts[attempt]
        fixes[finding] = (*fixes.get(finding, ()), str(attempt.export))
    for finding, exports in fixes.items():
        yield finding, Remedy("rewrite", _ADVICE, exports)


def _is_unsorted(call: RecordedCall) -> bool:
    """Return whether a call leaves the order open."""
    is_without_order = len(call.args) > _SORTED and call.args[_SORTED] is False
    return call.op == _TOPK and (is_without_order or call.kwargs.get("sorted") is False)


def _in_order(call: RecordedCall) -> RecordedCall:
    """Return the call, for all its inputs, with its elements in order."""
    args, kwargs = _sorted(call.args, call.kwargs)
    return replace(call, args=args, kwargs=kwargs, others=[_sorted(*more) for more in call.others])


def _sorted(
    args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    in_order = (*args[:_SORTED], *(True for _ in args[_SORTED:]))
    return in_order, {name: value for name, value in kwargs.items() if name != "sorted"}
