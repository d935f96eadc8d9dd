"""A model → the buffers to which its forward writes, of which an exported file keeps nothing."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import torch

from onnxop_runtime import processes
from onnxop_runtime.torch_internals import modifications_of

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


def written_buffers(call: Call) -> list[str]:
    """Call the model once, and return the names of the buffers that it writes other values to, in
    this process for good.
    """
    if call.is_program:
        return [*call.model.graph_signature.buffers_to_mutate.values()]
    before = {
        name: _Before(tensor, modifications_of(tensor), tensor.detach().clone())
        for name, tensor in call.model.named_buffers()
    }
    if not before:
        return []
    copies = call.with_copies()
    with processes.quiet(), torch.no_grad(), suppress(Exception):  # of the user's model
        call.model(*copies.args, **copies.kwargs)
    now = dict(call.model.named_buffers())
    return [name for name, buffer in before.items() if name in now and buffer.is_written(now[name])]
