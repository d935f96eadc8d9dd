"""A call that fails as the exporter converts dtypes → the same call of a tensor that is converted before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from onnxop_runtime.torch_internals import pytree

from ...trial.outcome import NO_OVERLOAD
from ..attempts import single_calls
from ..attempts.single_calls import Attempt
from ..calls.recorded_calls import RecordedCall
from ..model.exports import Progress
from ..report.findings import Finding, Remedy
from ..report.report import Report
from ..source.operands import converted


def remedies(report: Report, progress: Progress) -> Iterator[tuple[Finding, Remedy]]:
    """Yield the conversion to the dtype of the result for the calls that are right after it."""
    attempts: dict[Attempt, Finding] = {}
    for finding in report.findings:
        failing = [e for e, outcome in finding.outcomes.items() if NO_OVERLOAD in outcome.why]
        call = _with_converted_tensors(finding.call) if failing else finding.call
        attempts |= {Attempt(call, export): finding for export in failing}
    for attempt in single_calls.passing_attempts(attempts, progress, "conversions"):
        finding = attempts[attempt]
        yield finding, Remedy("rewrite", _advice(finding), (str(attempt.export),))


def _with_converted_tensors(call: RecordedCall) -> RecordedCall:
    """Return the call of tensors of its result's dtype."""
    dtype = _dtype_of_result(call)
    args, kwargs, others = pytree.tree_map_only(
        torch.Tensor, lambda tensor: tensor.to(dtype), (call.args, call.kwargs, call.others)
    )
    return replace(call, args=args, kwargs=kwargs, others=others, fixed=frozenset())


def _dtype_of_result(call: RecordedCall) -> torch.dtype:
    return call.as_model_call().results()[0].dtype


def _advice(finding: Finding) -> str:
    """Return what to write in the model."""
    dtype = str(_dtype_of_result(finding.call))
    codes = (converted(finding.op, place, dtype) for place in finding.places)
    code = next(filter(None, codes), f"x.to({dtype})")
    return f"in the model, convert the tensor to the dtype of the result first: {code}"
