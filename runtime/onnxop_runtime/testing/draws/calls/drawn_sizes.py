"""Other sizes and ranks of a sample's tensors, as hypothesis draws them."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st

from ...base import OperatorTests
from ...samples import Sample
from ...symbolic_sizes import Dimensions, Ranks, Sizes
from ..choices.draw_kinds import SizeKind
from .large_sizes import large_sizes

_RANK = 5
"""The rank that draws of other ranks reach."""
_TAILS = (15, 16, 17, 31, 33, 65)
"""Sizes at the ends of vectors and tiles."""
_MOST_OF_TAILS = 20_000
"""The most elements of a tensor with all sizes at such ends."""


@st.composite
def drawn_sizes(
    draw: st.DrawFn,
    tests: type[OperatorTests],
    sample: Sample,
    aligned: bool,
    only_named: bool,
    kind: SizeKind,
    symbol: str = "",
) -> Sizes:
    """Draw other sizes: of names that the spec has, or, less often, of all."""
    dimensions = Dimensions(sample, aligned=aligned)
    named = sorted(dimensions.named)
    is_named = named and (only_named or draw(st.integers(0, 2)))
    symbols = named if is_named else sorted(dimensions.values)
    match kind:
        case "empty":
            return {draw(st.sampled_from(symbols)): 0}
        case "one":
            return {draw(st.sampled_from(symbols)): 1}
        case "odd":
            return {symbol: draw(st.sampled_from([3, 5, 7, 9])) for symbol in symbols}
        case "square":
            size = draw(st.integers(2, 9 if len(symbols) < 4 else 6))
            return dict.fromkeys(symbols, size)
        case "tails":
            size = draw(st.sampled_from(_TAILS))
            sizes = dict.fromkeys(symbols, size)
            if dimensions.elements(sizes) <= _MOST_OF_TAILS:
                return sizes
            return {draw(st.sampled_from(symbols)): size}
        case "large" | "many":
            return large_sizes(tests, sample, symbol or draw(st.sampled_from(symbols)), kind)
        case "long":
            last = [symbol for symbol in _last_of(dimensions, sample) if symbol in symbols]
            return large_sizes(tests, sample, draw(st.sampled_from(last or symbols)), kind)
    most = {1: 90, 2: 20, 3: 9}.get(len(symbols), 6)
    return {symbol: draw(st.integers(1, most)) for symbol in symbols}


@st.composite
def drawn_ranks(draw: st.DrawFn, sample: Sample, aligned: bool) -> Ranks:
    """Draw another rank: a dimension that all tensors with its size lack, or have two of; all
    dimensions lacking; or more dimensions of the first tensor.
    """
    symbols = sorted(Dimensions(sample, aligned=aligned).values)
    rank = len(next(iter(Dimensions(sample).symbols(next(iter(sample.draws)))), ()))
    to_rank = (2, 1, 3, 2)[: max(_RANK - rank, 1)]
    more = draw(st.sampled_from([(3,), (2, 3), to_rank]))
    symbol = draw(st.sampled_from(symbols))
    choices: list[Ranks] = [
        {symbol: ()},
        {symbol: (2, *more)},
        {"": more},
        dict.fromkeys(symbols, ()),
    ]
    return draw(st.sampled_from(choices))


def _last_of(dimensions: Dimensions, sample: Sample) -> Collection[str]:
    """Return the symbols in the last size of the first tensor."""
    shapes = dimensions.symbols(next(iter(sample.draws)))
    return shapes[0][-1] if shapes and shapes[0] else ()
