"""A line of PyTorch's own modules that asks for values → the inputs on which these depend."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import torch

from onnxop_runtime.messages import join_words

from ...trial.call import Call
from ...trial.places import Place
from ..calls import reads
from ..model.target import Target
from .other_sides import CHANGES, changed_by

_SECONDS = 5.0  # to look for them


def with_inputs(target: Target, place: Place) -> Place:
    """Return the place with the inputs of which values or sizes change what PyTorch asks for at it;
    as it is, if none is known to do so.
    """
    if place.within is None or target.is_program:
        return place
    call = target.call("TorchScript")
    end = time.monotonic() + _SECONDS
    names = [
        name
        for at, name in enumerate(call.names)
        if any(_changes(call, place, _other_values(call.tensors, at), end))
    ]
    told = f"the values of {join_words(names)}" if names else ""
    if not names and any(_changes(call, place, target.sizes, end)):
        told = "the sizes of the inputs"
    return replace(place, within=replace(place.within, of=told))


def _other_values(tensors: Sequence[torch.Tensor], at: int) -> Iterator[Sequence[torch.Tensor]]:
    """Yield the tensors with other values of one of them."""
    for change in CHANGES:
        yield [*tensors[:at], changed_by(tensors[at], change), *tensors[at + 1 :]]


def _changes(
    call: Call, place: Place, sets: Iterable[Sequence[torch.Tensor]], end: float
) -> Iterator[bool]:
    """Yield, for each set of inputs, whether PyTorch reads something else at the place."""
    own = _asked(call, place)
    for tensors in sets:
        if time.monotonic() > end:
            return
        with suppress(Exception):  # of the user's model
            yield _asked(call.with_tensors(tensors), place) != own


def _asked(call: Call, place: Place) -> list[str]:
    """Return what PyTorch reads at the place. Raises the model's errors."""
    return [
        read.value
        for read in reads.of_run(call)
        if str(read.line) == str(place.inner) and read.place.within is not None
    ]
