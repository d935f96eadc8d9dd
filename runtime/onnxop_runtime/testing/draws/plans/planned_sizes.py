"""Planned calls of other sizes: at the ends of vectors and blocks, of 1 in a single tensor, with
dimensions before those of several tensors, and with two or none in place of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, permutations

import torch
from torch import Tensor

from ...base import OperatorTests
from ...samples import Sample
from ...symbolic_sizes import Dimensions
from ..calls.call import DrawnCall
from ..choices.draw_kinds import has_sizes_to_check, is_foreign, sized_of, symbols_of
from .planned_changes import Dtypes, dtype_of
from .turns import in_turn

_ENDS = (16, 32, 64, 128, 129, 256, 257)
"""Sizes at the ends of vectors and blocks."""
_MOST = 40_000
"""The most elements of a tensor with such a size."""
_BEFORE = ((3,), (2, 3))
"""Sizes before those of tensors, as of batches."""
_IN_PLACE = (2, 3)
"""Sizes in place of a single one."""
_TIMES = 3
"""How many times as many numbers there are where some are to be equal."""
_MOST_TOGETHER = 4
"""The most tensors of which each combination gets these."""


def calls_of_shapes(
    tests: type[OperatorTests], samples: Sequence[Sample], dtypes: Dtypes
) -> Iterator[DrawnCall]:
    """Yield the calls of each sample with other ranks, and with dimensions of size 1."""
    plain = [DrawnCall(sample, dtype=dtype_of(sample, dtypes)) for sample in samples]
    yield from in_turn(
        *(chain(_batched(tests, drawn), _with_other_ranks(tests, drawn)) for drawn in plain),
        *(_with_one(tests, drawn) for drawn in plain),
        *(_with_one_and_more(tests, drawn) for drawn in plain),
    )


def calls_of_ends(
    tests: type[OperatorTests], samples: Sequence[Sample], dtypes: Dtypes
) -> Iterator[DrawnCall]:
    """Yield the calls of each sample with each size at each end of a vector or block."""
    plain = [DrawnCall(sample, dtype=dtype_of(sample, dtypes)) for sample in samples]
    yield from in_turn(*(_at_ends(tests, drawn) for drawn in plain))


def calls_of_ranks(
    tests: type[OperatorTests], samples: Sequence[Sample], dtypes: Dtypes
) -> Iterator[DrawnCall]:
    """Yield the calls of each sample with other ranks."""
    plain = [DrawnCall(sample, dtype=dtype_of(sample, dtypes)) for sample in samples]
    yield from in_turn(
        *(_with_other_ranks(tests, drawn) for drawn in plain),
        *(_batched(tests, drawn) for drawn in plain),
    )


def _at_ends(tests: type[OperatorTests], drawn: DrawnCall) -> Iterator[DrawnCall]:
    """Yield a call with each size at each end of a vector or block."""
    dimensions = Dimensions(drawn.sample)
    for symbol in symbols_of(tests, drawn.sample):
        for size in _ENDS:
            if _fits(dimensions, symbol, size):
                yield drawn.changed(["tails"], sizes={symbol: size})


def _fits(dimensions: Dimensions, symbol: str, size: int) -> bool:
    """Return whether tensors with a size are not too large."""
    try:
        return dimensions.elements({symbol: size}) <= _MOST
    except ValueError:  # a size that is computed from it would be negative
        return False


def _with_one(tests: type[OperatorTests], drawn: DrawnCall) -> Iterator[DrawnCall]:
    """Yield a call with each single dimension of a tensor of size 1, and with all of a tensor,
    which a kernel may broadcast or refuse.
    """
    if not tests.operator.is_native or is_foreign(tests):
        return
    tensors = {n: v for n, v in drawn.sample.arguments().items() if hasattr(v, "shape")}
    if len(tensors) < 2:
        return
    for name, tensor in tensors.items():
        dimensions = [d for d, size in enumerate(tensor.shape) if size > 1]
        for dimension in dimensions:
            yield drawn.changed(["one"], ones={name: [dimension]})
        if len(dimensions) > 1:
            yield drawn.changed(["one"], ones={name: dimensions})


def _with_one_and_more(tests: type[OperatorTests], drawn: DrawnCall) -> Iterator[DrawnCall]:
    """Yield a call with each dimension of a tensor of integers of size 1, and more of another one,
    so that numbers are equal: as of bags of one index, two of which name the same row.
    """
    if not tests.operator.is_native or is_foreign(tests):
        return
    dimensions = Dimensions(drawn.sample)
    for name in _integers_of(drawn.sample):
        shape = drawn.sample.draws[name].shape
        (symbols,) = dimensions.symbols(name)
        for one, more in permutations(range(len(shape)), 2):
            if len(symbols[more]) == 1:
                sizes = {min(symbols[more]): _TIMES * shape[more]}
                yield drawn.changed(["one"], ones={name: [one]}, sizes=sizes)


def _integers_of(sample: Sample) -> list[str]:
    """Return the tensors of integers whose numbers and sizes may change."""
    tensors = {name: v for name, v in sample.arguments().items() if isinstance(v, Tensor)}
    integers = [
        n for n, t in tensors.items() if not (t.is_floating_point() or t.dtype == torch.bool)
    ]
    return [name for name in integers if sample.draws[name].is_random]


def _batched(tests: type[OperatorTests], drawn: DrawnCall) -> Iterator[DrawnCall]:
    """Yield calls with sizes before those of several tensors at once: of all, and of each two or
    more if there are few.
    """
    if not has_sizes_to_check(tests, drawn.sample):
        return
    names = sized_of(drawn.sample)
    several = len(names) if len(names) > _MOST_TOGETHER else 2
    for sizes in _BEFORE:
        for count in range(len(names), several - 1, -1):
            for together in combinations(names, count):
                batched = drawn.changed(["rank"], before=dict.fromkeys(together, sizes))
                yield batched
                if len(sizes) > 1:
                    yield from _with_batch_of_one(batched)


def _with_batch_of_one(batched: DrawnCall) -> Iterator[DrawnCall]:
    """Yield a call with each single size before those of a tensor of 1, which broadcasts."""
    for name, sizes in batched.before.items():
        for dimension in range(len(sizes)):
            yield batched.changed(batched.kinds, ones={name: [dimension]})


def _with_other_ranks(tests: type[OperatorTests], drawn: DrawnCall) -> Iterator[DrawnCall]:
    """Yield a call with two dimensions in place of each size, as images where a sample has rows,
    and one without the dimension.
    """
    if tests.operator.is_native and not is_foreign(tests):
        for symbol in symbols_of(tests, drawn.sample):
            for sizes in (_IN_PLACE, ()):
                yield drawn.changed(["rank"], ranks={symbol: sizes})
