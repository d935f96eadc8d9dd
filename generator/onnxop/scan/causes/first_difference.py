"""A file that is wrong although each call is right alone → the call from which on it has other values
than PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial, reduce
from operator import or_

import torch

from onnxop_runtime import processes
from onnxop_runtime.messages import join_words

from ...trial import inner_values
from ...trial.call import Call
from ..calls import traces
from ..calls.packed_sequences import PACK, PAD
from ..calls.traces import Step, TracedSteps
from ..report.cause import Cause
from ..report.failed_export import FailedExport
from . import other_exporter
from .facts import FACTS

_LIMITS = processes.Limits(seconds=120.0)
_RELATIVE, _ABSOLUTE = 1e-3, 1e-4  # of values that are the same but for rounding
_FEW = 8  # integers, which may be sizes
_NOT_AFTER = "The exporter writes this call right alone, but not after the calls before it"
_REWRITE = f"{_NOT_AFTER}: compute the line by other operators"
_OPERATORS_OF = {
    "MultiheadAttention": "F.linear with in_proj_weight and in_proj_bias, and "
    "F.scaled_dot_product_attention"
}
"""What computes the same as modules of PyTorch, by name."""
_CHOOSE = "Compute a new tensor, as torch.where(mask, value, y) does"
_ASSIGN = (
    "Write to the tensor itself, as y[1] = value does, or compute a new one, as y.masked_fill(mask, "
    "value) without the underscore does"
)


def cause(failed: FailedExport) -> Cause | None:
    """Return the first call whose result the file of the TorchScript exporter lacks, with the hint
    for its operator, or the writes to views that it loses, if results are wrong.
    """
    report, export, outcome = failed.report, failed.export, failed.outcome
    has_values = outcome.is_wrong or outcome.kind == "runtime"
    if export.exporter != "TorchScript" or not has_values:
        return None
    call = replace(report.target.exported_for("TorchScript", outcome), others=())
    compare = partial(_compare, call, export.opset, outcome.inputs or tuple(call.tensors))
    try:
        difference: Cause | None = processes.run(compare, limits=_LIMITS)
    except processes.ProcessDied:
        return None
    if difference is None:
        return None
    advice = other_exporter.advice(report, export.exporter, difference.advice)
    return replace(difference, advice=advice)


def _compare(call: Call, opset: int, tensors: Sequence[torch.Tensor]) -> Cause | None:
    """Return `cause` of a file that fails for these tensors; None if it cannot be compared."""
    try:
        with processes.quiet():
            computed = inner_values.of_file(call, "TorchScript", opset, tensors)
            traced = traces.traced_steps(call.spare() or call, tensors)
    except Exception:  # noqa: BLE001 - of the user's model, the exporter or ONNX Runtime
        return None
    if not computed:
        return None
    step, hints = _first_that_differs(traced, computed), FACTS["hints"]
    if step is not None:
        within = f", in {step.module}" if step.module else ""
        where = f" ({step.place.with_code}{within})" if step.place else within
        change = f"Instead, {hints[step.op]}" if step.op in hints else _rewrite(call, step)
        at = (step.place,) if step.place else ()
        return Cause(f"the file differs from PyTorch from {step.op} on{where}", at, change)
    return _lost_writes(traced.steps)


def _rewrite(call: Call, step: Step) -> str:
    """Return what to write instead of a line, or of the module of PyTorch whose line it is."""
    module = None
    with suppress(AttributeError):
        module = type(call.model.get_submodule(step.module))
    if not step.module or module is None or not module.__module__.startswith("torch.nn."):
        return _REWRITE
    operators = _OPERATORS_OF.get(module.__name__, "other operators")
    return (
        f"{_NOT_AFTER}. The line is PyTorch's own: in place of torch.nn.{module.__name__}, put a "
        f"module of your own that computes the same by {operators}"
    )


def _first_that_differs(traced: TracedSteps, computed: Sequence[torch.Tensor]) -> Step | None:
    """Return the first needed step of which the computed values have neither the results, nor those
    of a later step that needs it: exporters join steps.
    """
    steps, values_in_file = traced.steps, _ByShape(computed)
    packed = _bits(steps, PACK)
    padded = _bits(steps, PAD)
    is_packed = [bool(step.needed & packed) and not step.needed & padded for step in steps]
    telling = [
        [*filter(_is_telling, step.results)] if not is_within else []  # a file has them padded
        for step, is_within in zip(steps, is_packed, strict=True)
    ]
    pairs = zip(steps, telling, strict=True)
    matched = [
        s.needed for s, results in pairs if results and all(t in values_in_file for t in results)
    ]
    wrong = traced.needed & ~reduce(or_, matched, 0)
    differing = (step for at, step in enumerate(steps) if telling[at] and wrong >> at & 1)
    return next(differing, None)


def _bits(steps: Sequence[Step], op: str) -> int:
    """Return a bit for each step of an operator."""
    return sum(1 << at for at, step in enumerate(steps) if step.op == op)


def _is_telling(tensor: torch.Tensor) -> bool:
    """Return whether few other values of a model are equal to it by chance: no size, nor sizes."""
    is_few = tensor.numel() <= _FEW and not tensor.is_floating_point()
    return tensor.numel() > 1 and not is_few


def _lost_writes(steps: Sequence[Step]) -> Cause | None:
    """Return the calls that write to views of tensors, of which the exporter makes results of their
    own, with what to write instead.
    """
    writes = [step for step in steps if step.writes_to_view and step.place]
    lines = dict.fromkeys(f"{s.op} ({s.place.with_code})" for s in writes if s.place)
    if not lines:
        return None
    is_by_mask = any(step.op == "aten::index_put" for step in writes)
    verb = "writes" if len(lines) == 1 else "write"
    fact = (
        f"{join_words(lines)} {verb} to a view of a tensor: the exporter loses such writes, or "
        "writes them wrong"
    )
    at = tuple(step.place for step in writes if step.place)
    return Cause(fact, at, _CHOOSE if is_by_mask else _ASSIGN)


class _ByShape:
    """Tensors, of which one may be near another tensor."""

    def __init__(self, tensors: Sequence[torch.Tensor]) -> None:
        self._tensors: dict[torch.Size, list[torch.Tensor]] = {}
        for tensor in tensors:
            self._tensors.setdefault(tensor.shape, []).append(tensor)

    def __contains__(self, tensor: torch.Tensor) -> bool:
        return any(_is_near(tensor, other) for other in self._tensors.get(tensor.shape, ()))


def _is_near(tensor: torch.Tensor, other: torch.Tensor) -> bool:
    first, second = tensor.double(), other.double()
    return torch.allclose(first, second, _RELATIVE, _ABSOLUTE, equal_nan=True)
