"""A file of the TorchScript exporter that fails for other inputs → the lines at which Python reads
what these inputs change, and the trace keeps a constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from onnxop_runtime.messages import join_words

from ...trial.call import Call
from ..calls import reads
from ..calls.reads import Read
from ..report.cause import Cause, join_sentences
from ..report.failed_export import FailedExport
from ..source import number_conditions
from ..source.rewrites import BOTH_SIDES, WITH_TENSORS, only_prints, rewrite_of
from ..source.shown_lines import MOST_LINES

_LONG = 20  # of a value as text


def cause(failed: FailedExport) -> Cause | None:
    """Return the lines whose constants the inputs change at which a file fails, with what to write
    instead.
    """
    outcome = failed.outcome
    if failed.export.exporter != "TorchScript" or not outcome.fails_for_others:
        return None
    exported = failed.report.target.exported_for("TorchScript", outcome)
    every = _differing(exported, outcome.inputs)
    pairs = [pair for pair in every if not only_prints(pair[0].place)][:MOST_LINES]
    if not pairs:
        return None
    lines = join_words(_line(exported, outcome.inputs, *pair) for pair in pairs)
    at = [first.place for first, _ in pairs]
    return Cause(
        f"torch.jit.trace keeps what Python reads at {lines}",
        tuple(at),
        join_sentences(change for first, _ in pairs for change in _changes(first)),
        tuple(line for place in at for line in number_conditions.conditions_on(place)),
        is_kept=True,
    )


def _differing(exported: Call, tensors: Sequence[torch.Tensor]) -> list[tuple[Read, Read]]:
    """Return what the trace reads otherwise for these tensors; nothing if a trace of them fails."""
    if not tensors:
        return []
    try:
        return reads.differing(exported, tensors)
    except Exception:  # noqa: BLE001 - of the user's model, or of the trace
        return []


def _changes(read: Read) -> list[str]:
    """Return what to write instead of the line, or of the conditions on its number, as sentences
    without their full stops.
    """
    conditions = number_conditions.conditions_on(read.place)
    if conditions:
        return [rewrite_of(condition) or BOTH_SIDES for condition in conditions]
    instead = number_conditions.advice_on(read.place)
    return [instead or (BOTH_SIDES if read.is_condition else WITH_TENSORS)]


def _line(exported: Call, tensors: Sequence[torch.Tensor], first: Read, other: Read) -> str:
    """Return a line with the value that the file has, and the one that other inputs have."""
    sizes = reads.format_other_inputs(exported, tensors)
    values = [first.value, other.value]
    if first.is_condition:
        fact = f"one side of a condition, and the other for {sizes}"
    elif max(map(len, values)) > _LONG:
        fact = f"other values for {sizes}"
    else:
        fact = f"{first.value}; {other.value} for {sizes}"
    conditions = number_conditions.conditions_on(first.place)
    decided = join_words(condition.with_code for condition in conditions)
    sides = f", and one side of what it decides: {decided}" if decided else ""
    return f"{first.place.with_code} ({fact}){sides}"
