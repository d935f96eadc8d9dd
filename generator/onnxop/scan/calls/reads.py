"""What Python code reads of a model's tensors: numbers, and conditions. A trace keeps these as they
were.
"""

from __future__ import annotations

import dis
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from types import FrameType
from typing import Any

import torch

from onnxop_runtime import processes

from ...trial import places
from ...trial.call import Call, format_arguments
from ...trial.places import Place
from ...trial.watched_methods import Method, watched_methods
from . import traces

_METHODS = "__bool__", "__int__", "__float__", "__index__", "__len__", "item", "tolist"
_SUBSCRIPTS = (  # the instructions of Python 3.11 to 3.14
    "BINARY_SUBSCR",
    "BINARY_SLICE",
    "STORE_SUBSCR",
    "STORE_SLICE",
    "BINARY_OP",
)


@dataclass(frozen=True)
class Read:
    """A value that a line of the model reads, as text; ``is_condition``: only whether it is true."""

    place: Place
    value: str
    is_condition: bool

    @property
    def line(self) -> Place:
        """The line itself, without those of its callers."""
        return self.place.inner


def of_run(call: Call) -> list[Read]:
    """Return what lines of the model read while PyTorch runs it, in order. Raises its errors."""
    with _recorded() as reads:
        call.returned()
    return reads


def of_trace(call: Call) -> list[Read]:
    """Return what lines of the model read while `torch.jit.trace` records the call, and makes a
    constant of, as it warns. Raises the errors of the model and of the trace.
    """
    with processes.quiet(), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with _recorded(warned) as reads:
            traces.jit_trace(call.spare() or call)
    return reads


def differing(call: Call, tensors: Sequence[torch.Tensor]) -> list[tuple[Read, Read]]:
    """Return what a trace of the call reads otherwise than one of these tensors, of each line
    once, up to the condition at which the traces part.
    """
    pairs: dict[Place, tuple[Read, Read]] = {}
    for first, other in zip(of_trace(call), of_trace(call.with_tensors(tensors)), strict=False):
        if first.place != other.place:
            break
        if first.value != other.value:
            pairs.setdefault(first.place, (first, other))
    return [*pairs.values()]


def format_other_inputs(call: Call, tensors: Sequence[torch.Tensor]) -> str:
    """Return inputs for which other things are read than for the call's, as text: their sizes, or
    that they have other values.
    """
    sizes = format_arguments(tensors, {})
    return "other values" if sizes == format_arguments(call.tensors, {}) else sizes


@contextmanager
def _recorded(warned: Sequence[object] | None = None) -> Iterator[list[Read]]:
    """Yield a list of what lines of the model read of tensors within the block; with a list of
    warnings, only of what adds one to it.
    """
    reads: list[Read] = []
    watch = {name: partial(_watched, name, reads=reads, warned=warned) for name in _METHODS}
    with watched_methods(watch):
        yield reads


def _watched(
    name: str, original: Method, reads: list[Read], warned: Sequence[object] | None
) -> Method:
    """Return the method, which adds what it returns to the reads if a line of the model calls it."""

    def method(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        count = len(warned or ())
        value = original(tensor, *args, **kwargs)
        has_warned = warned is not None and len(warned) > count
        is_without_warning = name == "__index__" and not _is_in_subscript(sys._getframe(1))
        if warned is None or has_warned or is_without_warning:
            place = places.of_asking(_frames_of_model())
            if place is not None:
                reads.append(Read(place, repr(value), is_condition=name == "__bool__"))
        return value

    return method


def _is_in_subscript(frame: FrameType) -> bool:
    """Return whether the frame takes a subscript, of which a trace records the bounds. A call, such as
    that of range, makes constants of them, without a warning.
    """
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] in _SUBSCRIPTS


def _frames_of_model() -> list[places.Frame]:
    """Return the running frames of users, of libraries and of PyTorch's modules, the outermost
    first.
    """
    frames: list[places.Frame] = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if _is_told(frame.f_code.co_filename):
            frames.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return frames[::-1]


@cache
def _is_told(file: str) -> bool:
    return places.is_changeable(file) or places.is_of_modules(file)
