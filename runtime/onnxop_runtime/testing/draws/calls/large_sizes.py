"""Sizes with which a call is large, or has a long dimension, as far as the reference computes it in
time.
"""

from __future__ import annotations

import contextlib
import time

from ...base import OperatorTests, cached
from ...samples import Sample
from ...symbolic_sizes import Dimensions, Sizes
from ...torch_settings import threads
from ..choices.draw_kinds import SizeKind
from .call import DrawnCall

_LARGE = 150_001
"""Elements of the largest tensor of a large draw: more than one thread's share."""
_MANY = 2**16 + 1
"""The size of a dimension that an index of 16 bits does not hold."""
_LONG = 200_003
"""The size of a dimension that an operator reduces to one number."""
_LONGEST = 0.005
"""Seconds of the reference, after which a large draw does not grow."""
_GROWTHS = 9
"""The most times that a size grows to four times itself for a large draw."""


@cached
def large_sizes(tests: type[OperatorTests], sample: Sample, symbol: str, kind: SizeKind) -> Sizes:
    """Return sizes with which a call is large, or those that the reference computes in time: the
    largest tensor is, or one size is, and the others that have a name are small.
    """
    dimensions = Dimensions(sample)
    for others in _small_sizes(dimensions, symbol, kind):
        sizes = others | {symbol: dimensions.values[symbol]}
        with contextlib.suppress(Exception):  # the sizes do not fit
            return _grown(tests, sample, dimensions, sizes, symbol, kind)
    return {symbol: dimensions.values[symbol]}


def grows(tests: type[OperatorTests], sample: Sample, symbol: str, kind: SizeKind) -> bool:
    """Return whether a size of a sample is larger in a large call."""
    sizes = large_sizes(tests, sample, symbol, kind)
    return sizes[symbol] > Dimensions(sample).values[symbol]


def _grown(
    tests: type[OperatorTests],
    sample: Sample,
    dimensions: Dimensions,
    sizes: Sizes,
    symbol: str,
    kind: SizeKind,
) -> Sizes:
    """Return sizes of which one has grown, until the call is large or the reference slow."""
    least = {"many": _MANY, "long": _LONG}.get(kind)
    for _ in range(_GROWTHS):
        elements = dimensions.elements(sizes)
        is_large = elements >= _LARGE if least is None else sizes[symbol] >= least
        if is_large or _seconds(tests, DrawnCall(sample, sizes=sizes)) > _LONGEST:
            break
        most = least or sizes[symbol] * _LARGE // max(elements, 1) + 1
        larger = sizes | {symbol: min(4 * sizes[symbol] + 1, most)}
        if dimensions.elements(larger) > 4 * _LARGE:
            break
        sizes = larger
    return sizes


def _small_sizes(dimensions: Dimensions, symbol: str, kind: SizeKind) -> list[Sizes]:
    """Return sizes for the symbols beside a large one, the best first: of 2, or of 1 if a tensor
    would be too large else, for those that have a name; for a long reduction of 1 for all, if they
    fit.
    """
    named = sorted(dimensions.named - {symbol})
    ones = dict.fromkeys(named, 1)
    if kind == "large":
        return [{}]
    if kind == "long":
        return [dict.fromkeys(dimensions.values.keys() - {symbol}, 1), ones]
    sizes = {other: min(dimensions.values[other], 2) for other in named}
    is_small = dimensions.elements({**sizes, symbol: _MANY}) <= 2 * _LARGE
    return [sizes if is_small else ones]


def _seconds(tests: type[OperatorTests], drawn: DrawnCall) -> float:
    """Return how long the reference takes, in one thread that other processes do not delay."""
    compute = tests.reference if tests.operator.has_reference else tests.function
    arguments = drawn.arguments()
    with threads(1):
        start = time.thread_time()
        compute(**arguments)
        return time.thread_time() - start
