"""Integers beside tensors of an integer dtype that does not hold them."""

from __future__ import annotations

import torch

from ...arguments import Arguments, have_equal_numbers, results_of, split, with_tensors
from ...base import OperatorTests, cached
from ...samples import Sample
from .call import DrawnCall

_VALUES = ("", "wide", "extremes")
"""The kinds of values of the calls that are compared."""
_SEEDS = 3


@cached
def is_wrapped(
    tests: type[OperatorTests], sample: Sample, dtype: torch.dtype, name: str, value: int
) -> bool:
    """Return whether a reference may wrap an integer to a dtype that does not hold it, as PyTorch's
    operators do beside a tensor: with int64 in place of the integer tensors it then has other
    results, or none.
    """
    if not tests.operator.has_reference:
        return True
    calls = [DrawnCall(sample, seed, dtype, values=v) for v in _VALUES for seed in range(_SEEDS)]
    return not all(_is_alike_in_int64(tests, call.arguments() | {name: value}) for call in calls)


def _is_alike_in_int64(tests: type[OperatorTests], arguments: Arguments) -> bool:
    """Return whether a reference has the same results with int64 in place of integer tensors."""
    tensors, _ = split(arguments)
    wide = {name: tensor.long() for name, tensor in tensors.items() if _is_integral(tensor)}
    try:
        narrow_results = results_of(tests.reference(**arguments))
        wide_results = results_of(tests.reference_as_written(**with_tensors(arguments, wide)))
    except Exception:  # noqa: BLE001 - whatever a reference raises
        return False
    pairs = zip(narrow_results, wide_results, strict=True)
    return all(have_equal_numbers(*pair) for pair in pairs)


def _is_integral(tensor: torch.Tensor) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)
