"""Results that jump where the rounding of a sum decides, as `atan2` of one does at its
branch cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ...arguments import Arguments, floats_of, results_of, with_tensors
from .limits import is_near

Compute = Callable[[Arguments], Any]

_ROUNDINGS = 24
"""How often the numbers are moved."""
_MOST_MOVED = 4
"""The most roundings by which a number is moved, as those of several sums."""


def masks_of_other_rounding(
    compute: Compute, arguments: Arguments, actual: Sequence[Tensor], computed: Sequence[Tensor]
) -> list[Tensor]:
    """Return which elements of the results jump within some roundings of the arguments' numbers:
    those that the reference has for numbers moved by these, and that are far from what it has for
    the numbers themselves. Zeros stay zeros.

    Args:
        compute: the reference.
        arguments: the arguments of the call.
        actual: the results of the call.
        computed: the reference's results.
    """
    floats = floats_of(arguments, arguments)
    generator = torch.Generator().manual_seed(0)
    are_others = [torch.zeros_like(result, dtype=torch.bool) for result in actual]
    if [result.shape for result in actual] != [result.shape for result in computed]:
        return are_others
    for _ in range(_ROUNDINGS):
        moved = {name: _moved(tensor, generator) for name, tensor in floats.items()}
        try:
            results = results_of(compute(with_tensors(arguments, moved)))
        except (RuntimeError, TypeError, ValueError):  # it does not compute in float64
            return are_others
        for place, (one, other, result) in enumerate(zip(actual, computed, results, strict=True)):
            if result.shape == one.shape:
                are_others[place] |= is_near(one, result) & ~is_near(other, result)
    return are_others


def _moved(tensor: Tensor, generator: torch.Generator) -> Tensor:
    """Return a tensor in float64 with each number moved by some roundings, of float32 for 16 bits,
    in which kernels compute.
    """
    steps = torch.rand(tensor.shape, generator=generator, dtype=torch.float64) * 2 - 1
    eps = min(torch.finfo(tensor.dtype).eps, torch.finfo(torch.float32).eps)
    return tensor.double() * (1 + _MOST_MOVED * eps * steps)
