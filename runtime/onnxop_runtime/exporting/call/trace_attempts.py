"""A model to trace → the attempts to trace it, in their order: each one leaves more of the model's
numbers to PyTorch, which makes constants of them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace

import torch

from . import traced_calls
from .model_arguments import Model
from .traced_numbers import TracedNumbers


@dataclass(frozen=True)
class TraceAttempt:
    """What a trace records; PyTorch's own makes constants of both."""

    records_numbers: bool
    """Numbers that the model's code makes of tensors, as ``int(x.max())``: `traced_numbers`."""
    records_sizes: bool
    """Sizes in tensors and lists, and writes to views: `traced_calls`."""


NUMBERS_AND_SIZES = TraceAttempt(records_numbers=True, records_sizes=True)
NUMBERS_ALONE = TraceAttempt(records_numbers=True, records_sizes=False)
SIZES_ALONE = TraceAttempt(records_numbers=False, records_sizes=True)
NEITHER = TraceAttempt(records_numbers=False, records_sizes=False)


def trace_by_attempts(model: Model, export: Callable[[], None], forget: Callable[[], None]) -> None:
    """Call ``export``, which traces the model, by the first attempt that does not fail; raise the
    error of the last one. ``forget`` what a failed trace has left.
    """
    attempt = NUMBERS_AND_SIZES
    numbers = TracedNumbers(model)
    while True:
        changed_calls: set[str] = set()
        try:
            with ExitStack() as stack:
                if attempt.records_sizes:
                    changed_calls = stack.enter_context(traced_calls.recorded(model))
                if attempt.records_numbers:
                    numbers.trace(export, forget)
                else:
                    export()
            return
        except Exception as error:
            has_rules = not isinstance(error, torch.onnx.errors.UnsupportedOperatorError)
            following = attempt_after(
                attempt,
                sizes_may_be_why=bool(changed_calls) and has_rules,
                numbers_may_be_why=numbers.has_replaced,
            )
            if following is None:
                raise
        forget()
        attempt = following


def attempt_after(
    failed: TraceAttempt, *, sizes_may_be_why: bool, numbers_may_be_why: bool
) -> TraceAttempt | None:
    """Return the attempt that follows a failed one; None if nothing that it records may be why.

    A model may need Python's own number, such as the key of a dictionary, where a trace records a
    tensor. Leave out sizes first. If that does not help, leave out numbers, and record sizes again.
    """
    if failed.records_sizes and sizes_may_be_why:
        return replace(failed, records_sizes=False)
    if failed.records_numbers and numbers_may_be_why:
        return SIZES_ALONE
    return None
