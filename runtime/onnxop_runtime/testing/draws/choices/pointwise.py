"""Whether an operator computes each element of its result from one element of its first tensor."""

from __future__ import annotations

import torch

from ...arguments import results_of, split, with_tensors
from ...base import OperatorTests, cached


@cached
def is_pointwise(tests: type[OperatorTests]) -> bool:
    """Return whether the reference computes each element of one result from one element of the
    first tensor of floating-point numbers. What it compares these with is then no order of theirs.
    """
    arguments = tests.samples[0].arguments()
    name, first = next(iter(split(arguments)[0].items()), ("", torch.empty(0)))
    if not (first.is_floating_point() and first.numel() > 1):
        return False
    before = results_of(tests.reference(**arguments))
    if len(before) > 1 or before[0].shape != first.shape:
        return False
    for element in (0, -1):  # of a running sum, only one result changes with the last element
        changed = first.clone()
        changed.view(-1)[element] += 0.5
        after = results_of(tests.reference(**with_tensors(arguments, {name: changed})))
        if int((before[0] != after[0]).sum()) > 1:
            return False
    return True
