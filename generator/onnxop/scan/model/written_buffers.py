"""A model → the buffers to which its forward writes, of which an exported file keeps nothing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import torch

from onnxop_runtime import processes
from onnxop_runtime.messages import join_words
from onnxop_runtime.torch_internals import modifications_of
from onnxop_runtime.verification.differences import difference

from ...trial.call import Call


@dataclass(frozen=True)
class _Before:
    """A buffer before a call: the tensor, how often it was written, and a copy of its values."""

    tensor: torch.Tensor
    modifications: int
    values: torch.Tensor

    def is_written(self, now: torch.Tensor) -> bool:
        """Return whether the buffer has other values now."""
        is_same = now is self.tensor and modifications_of(now) == self.modifications
        return not is_same and not torch.equal(now, self.values)


@dataclass(frozen=True)
class WrittenBuffers:
    """The buffers to which a model's forward writes.

    Attributes:
        names: their names.
        later_difference: how the results of a second call differ from those of a fresh model's first
            one, which has the same arguments; nothing if they are the same, or random.
    """

    names: list[str] = field(default_factory=list)
    later_difference: str = ""

    def __str__(self) -> str:
        """The buffers, as text."""
        noun = "buffer" if len(self.names) == 1 else "buffers"
        return f"the {noun} {join_words(self.names)}"


def written_buffers(call: Call) -> WrittenBuffers:
    """Call the model once, and return the buffers that it writes other values to, in this process
    for good.
    """
    if call.is_program:
        return WrittenBuffers([*call.model.graph_signature.buffers_to_mutate.values()])
    before = {
        name: _Before(tensor, modifications_of(tensor), tensor.detach().clone())
        for name, tensor in call.model.named_buffers()
    }
    if not before:
        return WrittenBuffers()
    with call.kept_buffers():
        names = _written_by_a_run(call, before)
    if not names:
        return WrittenBuffers()
    first = _repeated_results(call)
    names = _written_by_a_run(call, before)
    if first is None:
        return WrittenBuffers(names)
    with suppress(Exception):
        return WrittenBuffers(names, difference(call.results(), first))
    return WrittenBuffers(names)


def _written_by_a_run(call: Call, before: Mapping[str, _Before]) -> list[str]:
    """Call the model once, and return the names of the buffers that have other values then."""
    copies = call.with_copies()
    with processes.quiet(), torch.no_grad(), suppress(Exception):  # of the user's model
        call.model(*copies.args, **copies.kwargs)
    now = dict(call.model.named_buffers())
    return [name for name, buffer in before.items() if name in now and buffer.is_written(now[name])]


def _repeated_results(call: Call) -> list[torch.Tensor] | None:
    """Return the results of the model's first call, whose buffers stay as they are; None if they are
    random, or the model raises.
    """
    with suppress(Exception):
        first = call.results()
        if not difference(call.results(), first):
            return first
    return None
