"""Planned calls of other values: infinities, elements equal to scalars, numbers far from 0, ties of
roundings; and these with other scalars.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, cycle, product

import torch

from ...base import OperatorTests
from ...samples import Sample
from ..calls.call import DrawnCall
from ..calls.strategies import with_bounds
from ..choices.draw_kinds import (
    ValueKind,
    floats_beside_integers,
    is_foreign,
    kinds_of,
    symbols_of,
    unbounded,
)
from ..choices.exact_steps import rounds_exactly
from ..choices.special_values import COUNT_OF_EXTREMES, LARGEST_OF_TIES
from .planned_changes import Dtypes, PlannedChange, changed, choices_of, dtype_of

_FLOAT_DTYPES = (torch.float64, torch.float16, torch.bfloat16, torch.float32)
_SEEDS = 4
"""The calls of each kind of values: their seeds choose the tensors."""
_AT_EDGES: tuple[ValueKind, ...] = ("infinities", "equal")
_SPECIAL: tuple[ValueKind, ...] = ("extremes", "NaN", "infinities", "zeros")
"""The kinds of values with which other scalars are drawn."""


def calls_of_values(
    tests: type[OperatorTests], samples: Sequence[Sample], dtypes: Dtypes
) -> Iterator[DrawnCall]:
    """Yield calls with infinities beside zeros in one tensor or the other, or where a size is 1,
    and with elements equal to scalars.
    """
    for sample, seed in product(samples, range(_SEEDS)):
        dtype = dtype_of(sample, dtypes)
        for values in _AT_EDGES:
            if values not in kinds_of(tests, sample, dtype):
                continue
            drawn = DrawnCall(sample, seed, dtype, values=values, kinds=[values])
            is_equal = values == "equal"
            yield with_bounds(tests, drawn) if is_equal else replace(drawn, has_zeros_beside=True)
            if not is_equal:  # a dimension of infinities of one sign alone
                yield from (replace(drawn, sizes={size: 1}) for size in symbols_of(tests, sample))


def calls_of_float_dtypes(
    tests: type[OperatorTests], samples: Sequence[Sample], dtypes: Dtypes
) -> Iterator[DrawnCall]:
    """Yield calls with other dtypes of floating-point tensors beside a first one of integers, of
    which `Supported` says nothing.
    """
    if is_foreign(tests):
        return
    for float_dtype, sample in product(_FLOAT_DTYPES, samples):
        if floats_beside_integers(sample):
            dtype = dtype_of(sample, dtypes)
            yield DrawnCall(sample, dtype=dtype, float_dtype=float_dtype, kinds=["other dtype"])


def calls_of_extremes(
    tests: type[OperatorTests], samples: Sequence[Sample], dtypes: Dtypes
) -> Iterator[DrawnCall]:
    """Yield a call of each integer dtype, the widest first, with each group of its extremes: of
    int64, neighbours that are one number in float64.
    """
    integers = [d for d in dtypes if d and not d.is_floating_point and d != torch.bool]
    widest_first = sorted(integers, key=lambda dtype: -dtype.itemsize)
    for dtype, sample, group in product(widest_first, samples, range(COUNT_OF_EXTREMES)):
        if "extremes" in kinds_of(tests, sample, dtype):
            drawn = changed(tests, sample, dtype, [])
            # An even seed gives all tensors such integers.
            yield replace(drawn, seed=2 * group, values="extremes", kinds=["extremes"])


def calls_of_roundings(
    tests: type[OperatorTests], samples: Sequence[Sample], dtypes: Dtypes
) -> Iterator[DrawnCall]:
    """Yield calls with numbers far from 0 in one tensor, between which a difference of large sums
    is lost; and with ties of what the reference rounds, if it computes them exactly.
    """
    if is_foreign(tests):
        return
    for sample in samples:
        dtype = dtype_of(sample, dtypes)
        if dtype is None or dtype.is_floating_point:
            count = len(unbounded(sample))
            for seed in range(1, 2 * count, 2):  # an odd seed chooses one tensor
                yield DrawnCall(sample, seed, dtype, values="offset", kinds=["offset"])
        yield from _calls_with_ties(tests, sample, dtype)


def _calls_with_ties(
    tests: type[OperatorTests], sample: Sample, dtype: torch.dtype | None
) -> Iterator[DrawnCall]:
    """Yield the calls with ties: in each range of numbers to which quantizations scale, and with
    each integer of 1, as an odd zero point is.
    """
    drawn = DrawnCall(sample, dtype=dtype, values="ties", kinds=["ties"])
    seeds = range(0, 2 * len(LARGEST_OF_TIES), 2)  # an even seed gives all tensors ties
    calls = [replace(drawn, seed=seed) for seed in seeds]
    for change in chain(*choices_of(tests, sample)):
        if change.is_one:
            odd = changed(tests, sample, dtype, [change])
            calls.append(replace(odd, values="ties", kinds=[*odd.kinds, "ties"]))
    yield from (call for call in calls if rounds_exactly(tests, call.arguments()))


def with_special_values(
    tests: type[OperatorTests],
    dtypes: Dtypes,
    changes: Sequence[tuple[Sample, PlannedChange]],
) -> Iterator[DrawnCall]:
    """Yield a call of each change with each kind of special values."""
    seeds = cycle(range(_SEEDS))
    for values, (sample, change) in product(_SPECIAL, changes):
        dtype = dtype_of(sample, dtypes)
        if values in kinds_of(tests, sample, dtype):
            drawn = changed(tests, sample, dtype, [change])
            yield replace(drawn, seed=next(seeds), values=values, kinds=[*drawn.kinds, values])
