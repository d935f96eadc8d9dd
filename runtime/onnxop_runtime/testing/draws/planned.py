"""The calls that each run makes, whatever its seed: each other value of an argument, two changed
arguments together, and samples that hold rare values.

How many there are grows with the arguments, so that the time may end before all are made; the seed
orders them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, cycle, islice, product

import torch

from ..arguments import split
from ..base import OperatorTests
from ..samples import Sample
from .call import DrawnCall
from .kinds import has_scalars_to_change, kinds_of, lists_of, optional_of, symbols_of
from .literals import rare_samples, samples_to_draw
from .scalars import Other, others_of
from .strategies import other_lengths, with_bounds, with_length, with_scalars

_SEEDS = 4
"""The calls of each kind of values that are in each run: their seeds choose the tensors."""
_FEW = 3
"""The most values of an argument of which each is combined with each of another argument's."""


@dataclass(frozen=True)
class _Change:
    """One change of a call: another scalar, or a tensor that is left out."""

    name: str
    other: Other | None = None
    """The scalar's value; None for a tensor."""


def rare_calls(
    tests: type[OperatorTests], dtypes: Sequence[torch.dtype | None]
) -> Iterator[DrawnCall]:
    """Yield the first sample's call, and one of each sample that holds values at the edge of what an
    operator takes.
    """
    yield DrawnCall(tests.samples[0])
    for sample in rare_samples(tests):
        yield DrawnCall(sample, dtype=_dtype_of(sample, dtypes))


def calls_of_arguments(
    tests: type[OperatorTests], dtypes: Sequence[torch.dtype | None], seed: int
) -> Iterator[DrawnCall]:
    """Yield the calls of each other value of an argument, and those of two changed arguments."""
    shuffled = random.Random(seed).sample
    samples = samples_to_draw(tests)
    choices = {sample: _choices(tests, sample) for sample in samples}
    ones = [(sample, [change]) for sample in samples for change in chain(*choices[sample])]
    pairs = [(sample, pair) for sample in samples for pair in _pairs(choices[sample])]
    yield from _calls_of_values(tests, samples, dtypes)
    yield from _calls_of_lengths(tests, samples, dtypes)
    for sample, changes in (*shuffled(ones, len(ones)), *shuffled(pairs, len(pairs))):
        yield _changed(tests, sample, _dtype_of(sample, dtypes), changes)


def _calls_of_values(
    tests: type[OperatorTests], samples: Sequence[Sample], dtypes: Sequence[torch.dtype | None]
) -> Iterator[DrawnCall]:
    """Yield calls with infinities beside zeros in one tensor or the other, or where a size is 1, and
    with elements equal to scalars.
    """
    for sample, seed in product(samples, range(_SEEDS)):
        dtype = _dtype_of(sample, dtypes)
        for values in ("infinities", "equal"):
            if values not in kinds_of(tests, sample, dtype):
                continue
            drawn = DrawnCall(sample, seed, dtype, values=values, kinds=[values])
            is_equal = values == "equal"
            yield with_bounds(tests, drawn) if is_equal else replace(drawn, has_zeros_beside=True)
            if not is_equal:  # a dimension of infinities of one sign alone
                yield from (replace(drawn, sizes={size: 1}) for size in symbols_of(tests, sample))


def _calls_of_lengths(
    tests: type[OperatorTests], samples: Sequence[Sample], dtypes: Sequence[torch.dtype | None]
) -> Iterator[DrawnCall]:
    """Yield a call of each other length of a list of tensors."""
    for sample in samples:
        dtype = _dtype_of(sample, dtypes)
        if "length" not in kinds_of(tests, sample, dtype):
            continue
        for name, before in lists_of(sample).items():
            for length in other_lengths(before):
                lengths, scalars = with_length(tests, sample, name, length)
                yield DrawnCall(
                    sample,
                    dtype=dtype,
                    lengths=lengths,
                    scalars=scalars,
                    kinds=["length"],
                )


def _choices(tests: type[OperatorTests], sample: Sample) -> list[list[_Change]]:
    """Return the changes of each argument of a sample."""
    tensors = [[_Change(name)] for name in optional_of(tests, sample)]
    if not has_scalars_to_change(tests, sample):
        return tensors
    scalars = others_of(tests, sample).items()
    return [*tensors, *([_Change(name, other) for other in others] for name, others in scalars)]


def _pairs(choices: Sequence[Sequence[_Change]]) -> Iterator[list[_Change]]:
    """Yield the changes of each two arguments: each with each if one has few, and otherwise each
    with one of the other argument's.
    """
    for one, other in combinations(choices, 2):
        if min(len(one), len(other)) <= _FEW:
            yield from map(list, product(one, other))
        else:
            count = max(len(one), len(other))
            yield from map(list, zip(*(islice(cycle(c), count) for c in (one, other)), strict=True))


def _changed(
    tests: type[OperatorTests],
    sample: Sample,
    dtype: torch.dtype | None,
    changes: Sequence[_Change],
) -> DrawnCall:
    """Return a call of a sample with these changes."""
    scalars = {change.name: change.other for change in changes if change.other is not None}
    left_out = [change.name for change in changes if change.other is None]
    kinds = {1: ["scalar"], 2: ["scalars"]}.get(len(scalars), [])
    drawn = DrawnCall(
        sample, dtype=dtype, left_out=left_out, kinds=[*kinds, *(["left out"] if left_out else [])]
    )
    values = {name: other.value for name, other in scalars.items()}
    may_refuse = any(other.may_refuse for other in scalars.values())
    return with_scalars(tests, drawn, values, may_refuse)


def _dtype_of(sample: Sample, dtypes: Sequence[torch.dtype | None]) -> torch.dtype | None:
    """Return the dtype of a sample's first tensor, or the first one to draw if it is none of them."""
    first = next(iter(split(sample.arguments())[0].values()), None)
    return first.dtype if first is not None and first.dtype in dtypes else dtypes[0]
