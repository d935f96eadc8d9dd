"""A model → the lines at which `torch.jit.trace` keeps a number that other inputs change."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from ...trial.call import Call
from ...trial.places import Place
from ..calls import reads
from ..calls.reads import Read
from ..source.rewrites import has_no_results

_SECONDS = 5.0  # to trace the model for other inputs
_LONG = 20  # of a value as text


@dataclass(frozen=True)
class KeptNumbers:
    """What Python reads in a trace.

    Attributes:
        changed: the lines at which it reads a number that other inputs change, with the numbers as
            text.
        unchanged: the lines at which none of the inputs that were tried changes what it reads.
    """

    changed: dict[Place, str]
    unchanged: tuple[Place, ...] = ()


def kept_numbers(call: Call, sets: Sequence[Sequence[torch.Tensor]]) -> KeptNumbers:
    """Trace the call for these sets of tensors, too, as long as there is time, and compare what
    Python reads. The errors of a trace end this without a word.
    """
    end = time.monotonic() + _SECONDS
    changed: dict[Place, str] = {}
    try:
        first = _by_line(reads.of_trace(call))
        for tensors in sets:
            if time.monotonic() > end:
                return KeptNumbers(changed)
            others = _by_line(reads.of_trace(call.with_tensors(tensors)))
            for place, line_reads in first.items():
                if text := _difference(line_reads, others.get(place, ())):
                    changed.setdefault(
                        place, f"{text} for {reads.format_other_inputs(call, tensors)}"
                    )
    except Exception:  # noqa: BLE001 - of the user's model, or of the trace
        return KeptNumbers(changed)
    return KeptNumbers(changed, tuple(place for place in first if place not in changed))


def _by_line(every: Sequence[Read]) -> dict[Place, list[Read]]:
    """Return what is read at each line that does not only print or raise, in order."""
    lines: dict[Place, list[Read]] = {}
    for read in every:
        if not has_no_results(read.place):
            lines.setdefault(read.place, []).append(read)
    return lines


def _difference(first: Sequence[Read], others: Sequence[Read]) -> str:
    """Return the first number that differs, and the other one, as text; ``""`` if none does."""
    for one, other in zip(first, others, strict=False):
        if one.value != other.value and not one.is_condition:
            is_short = max(len(one.value), len(other.value)) <= _LONG
            return f"{one.value}, and {other.value}" if is_short else "other values"
    return ""
