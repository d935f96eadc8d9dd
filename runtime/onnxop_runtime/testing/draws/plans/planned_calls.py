"""The calls that each run makes, whatever its seed: each other value of an argument, two changed
arguments together, sizes and values at edges, and samples that hold rare values.

How many there are grows with the arguments, so that the time may end before all are made; the seed
orders them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from ...base import OperatorTests
from ...samples import Sample
from ..calls.call import DrawnCall
from ..calls.strategies import other_lengths, with_length
from ..choices.draw_kinds import kinds_of, lists_of, symbols_of
from ..choices.literals import samples_to_draw
from ..choices.rare_samples import rare_samples
from .planned_changes import (
    Dtypes,
    PlannedChange,
    changed,
    choices_of,
    dtype_of,
    modes_of,
    pairs_of,
    telling_of,
)
from .planned_sizes import calls_of_ends, calls_of_ranks, calls_of_shapes
from .planned_values import (
    calls_of_extremes,
    calls_of_float_dtypes,
    calls_of_roundings,
    calls_of_values,
    with_special_values,
)
from .turns import in_turn

_Choices = Mapping[Sample, Sequence[Sequence[PlannedChange]]]
"""The changes of each argument of each sample."""


def rare_calls(tests: type[OperatorTests], dtypes: Dtypes) -> Iterator[DrawnCall]:
    """Yield the first sample's call, and one of each sample that holds values at the edge of what
    an operator takes.
    """
    yield DrawnCall(tests.samples[0])
    for sample in rare_samples(tests):
        yield DrawnCall(sample, dtype=dtype_of(sample, dtypes))


def calls_of_arguments(
    tests: type[OperatorTests], dtypes: Dtypes, seed: int
) -> Iterator[DrawnCall]:
    """Yield the calls of each other value of an argument, of edges of values and sizes, and those
    of two changed arguments.
    """
    shuffled = random.Random(seed).sample
    samples = samples_to_draw(tests)
    choices = {sample: choices_of(tests, sample) for sample in samples}
    ones, pairs = _ones_of(choices), _pairs_of(choices)
    telling = [(sample, change) for sample in samples for change in telling_of(choices[sample])]
    at_one = [*chain.from_iterable(_modes_at_one(tests, s, dtypes, choices[s]) for s in samples)]
    yield from in_turn(
        calls_of_values(tests, samples, dtypes),
        calls_of_float_dtypes(tests, samples, dtypes),
        _calls_of_lengths(tests, samples, dtypes),
        _all_changed(tests, dtypes, shuffled(ones, len(ones))),
        calls_of_shapes(tests, samples, dtypes),
        calls_of_ends(tests, samples, dtypes),
        calls_of_roundings(tests, samples, dtypes),
        calls_of_extremes(tests, samples, dtypes),
        shuffled(at_one, len(at_one)),
        with_special_values(tests, dtypes, shuffled(telling, len(telling))),
        _all_changed(tests, dtypes, shuffled(pairs, len(pairs))),
    )


def calls_of_mapping(tests: type[OperatorTests], dtypes: Dtypes, seed: int) -> Iterator[DrawnCall]:
    """Yield the calls at which a mapping may write other nodes: of other ranks, of each other value
    of an argument, and of two changed ones.
    """
    shuffled = random.Random(seed).sample
    samples = samples_to_draw(tests)
    choices = {sample: choices_of(tests, sample) for sample in samples}
    ones, pairs = _ones_of(choices), _pairs_of(choices)
    yield from in_turn(
        calls_of_ranks(tests, samples, dtypes),
        calls_of_float_dtypes(tests, samples, dtypes),
        _calls_of_lengths(tests, samples, dtypes),
        _all_changed(tests, dtypes, shuffled(ones, len(ones))),
        _all_changed(tests, dtypes, shuffled(pairs, len(pairs))),
    )


def _ones_of(choices: _Choices) -> list[tuple[Sample, list[PlannedChange]]]:
    """Return each single change of each sample."""
    return [(s, [change]) for s, groups in choices.items() for change in chain(*groups)]


def _pairs_of(choices: _Choices) -> list[tuple[Sample, list[PlannedChange]]]:
    """Return each two changes together of each sample."""
    return [(s, pair) for s, groups in choices.items() for pair in pairs_of(groups)]


def _all_changed(
    tests: type[OperatorTests],
    dtypes: Dtypes,
    changes: Sequence[tuple[Sample, Sequence[PlannedChange]]],
) -> Iterator[DrawnCall]:
    """Yield the calls with these changes."""
    for sample, call_changes in changes:
        yield changed(tests, sample, dtype_of(sample, dtypes), call_changes)


def _modes_at_one(
    tests: type[OperatorTests],
    sample: Sample,
    dtypes: Dtypes,
    choices: Sequence[Sequence[PlannedChange]],
) -> Iterator[DrawnCall]:
    """Yield the calls of each combination of modes with each size of 1, and each integer of 1."""
    dtype = dtype_of(sample, dtypes)
    changes_to_one = [change for change in chain(*choices) if change.is_one]
    for modes in modes_of(choices):
        drawn = changed(tests, sample, dtype, modes)
        for symbol in symbols_of(tests, sample):
            yield drawn.changed([*drawn.kinds, "one"], sizes={symbol: 1})
        for one in changes_to_one:
            yield changed(tests, sample, dtype, [*modes, one])


def _calls_of_lengths(
    tests: type[OperatorTests], samples: Sequence[Sample], dtypes: Dtypes
) -> Iterator[DrawnCall]:
    """Yield a call of each other length of a list of tensors."""
    for sample in samples:
        dtype = dtype_of(sample, dtypes)
        if "length" not in kinds_of(tests, sample, dtype):
            continue
        for name, before in lists_of(sample).items():
            for length in other_lengths(before):
                lengths, scalars = with_length(tests, sample, name, length)
                drawn = DrawnCall(sample, dtype=dtype, kinds=["length"])
                yield replace(drawn, lengths=lengths, scalars=scalars)
