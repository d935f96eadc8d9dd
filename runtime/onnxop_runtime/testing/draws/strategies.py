"""Drawn calls of an operator, as hypothesis draws them: which kinds of changes come together, and
their values.

A drawn call is a sample with changes, so that its shapes fit together. What a sample bounds stays
bounded: random numbers with ``low`` or ``high``, and literal tensors, keep their values.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import cycle, islice

import torch
from hypothesis import strategies as st

from ..arguments import Arguments
from ..base import OperatorTests
from ..samples import Sample
from .call import DrawnCall
from .drawn_sizes import drawn_ranks, drawn_sizes
from .kinds import (
    ALONE,
    LAYOUTS,
    SCALARS,
    SIZES,
    SLOW,
    VALUES,
    arguments_of,
    is_foreign,
    kinds_of,
    lists_like,
    lists_of,
    optional_of,
    sized_of,
)
from .literals import samples_to_draw
from .pointwise import is_pointwise
from .scalars import bounds_of, far_of, others_of, value_of

_OF_NO_SCALAR = (1.0, 2.0)
"""Numbers that elements are equal to if there are no scalars."""
_LENGTHS = (5, 9, 17)
"""Lengths of lists that are longer than those of samples."""


@st.composite
def drawn_calls(
    draw: st.DrawFn,
    tests: type[OperatorTests],
    dtypes: Sequence[torch.dtype | None],
    kind: str,
    argument: str = "",
) -> DrawnCall:
    """Draw a call of one kind, and sometimes of others, too.

    Args:
        tests: the operator's tests.
        dtypes: the dtypes of the first tensor.
        kind: the kind; "" for any.
        argument: the argument, or the size, to change, if the kind is of single ones.
    """
    dtype = draw(st.sampled_from(dtypes))
    only_named = not tests.operator.is_native or is_foreign(tests)
    samples = samples_to_draw(tests)
    samples = tuple(s for s in samples if not kind or kind in kinds_of(tests, s, dtype))
    if argument:
        samples = tuple(s for s in samples if argument in arguments_of(tests, s, kind))
    if kind in SCALARS and draw(st.booleans()):  # what a scalar does may depend on these
        samples = tuple(s for s in samples if optional_of(tests, s)) or samples
    sample = draw(st.sampled_from(samples))
    kinds = draw(_drawn_kinds(kind, [*kinds_of(tests, sample, dtype)]))
    if (
        kind == "large scalar"
        and "equal" in kinds_of(tests, sample, dtype)
        and draw(st.integers(0, 3))
    ):
        kinds = kinds - {*VALUES} | {"equal"}
    aligned = kind not in SLOW and draw(st.booleans())
    sizes = [k for k in SIZES if k in kinds and k != "rank"]
    scalars, are_doubtful = draw(_drawn_scalars(tests, sample, kinds, argument))
    left_out: Sequence[str] = ()
    if "left out" in kinds:
        left_out = draw(_drawn_left_out(optional_of(tests, sample), argument))
    if dtype is not None:
        scalars = _fitting(tests, sample, dtype, scalars)
        are_doubtful |= _have_real_scalars(tests, dtype, scalars)
    lengths: Mapping[str, int] = {}
    if "length" in kinds:
        lengths, of_length = draw(_drawn_lengths(tests, sample))
        scalars |= of_length
    longer = None
    if "mismatch" in kinds:
        longer = draw(_drawn_longer(sample))
        kinds -= {"rank"}
    values = next((k for k in VALUES if k in kinds), "")
    bounds: Sequence[float] = ()
    if values == "equal":
        bounds, simple = bounds_of(tests, sample, scalars)
        are_doubtful |= bool(simple)
        scalars = scalars | simple
    return DrawnCall(
        sample,
        seed=draw(st.integers(0, 10_000)),
        dtype=dtype,
        aligned=aligned,
        sizes=draw(drawn_sizes(tests, sample, aligned, only_named, sizes[0], argument))
        if sizes
        else {},
        ranks=draw(drawn_ranks(sample, aligned)) if "rank" in kinds else {},
        scalars=scalars,
        has_doubtful_scalars=are_doubtful,
        longer=longer,
        left_out=left_out,
        lengths=lengths,
        values=values,
        has_zeros_beside=values == "infinities" and draw(st.booleans()),
        bounds=bounds or _OF_NO_SCALAR,
        is_pointwise=values == "equal" and is_pointwise(tests),
        layout=next((k for k in LAYOUTS if k in kinds), ""),
        kinds=sorted(kinds),
    )


@st.composite
def _drawn_kinds(draw: st.DrawFn, kind: str, possible: Sequence[str]) -> set[str]:
    """Draw the kinds of a call: the one, if it is given, and sometimes one of each other group."""
    kinds = {kind} if kind else set[str]()
    for group in (SIZES, VALUES, LAYOUTS, ("left out",), (*SCALARS, "large scalar")):
        free = [other for other in group if other in possible and other not in ALONE]
        if free and not kinds & {*group} and draw(st.integers(0, 3)) == 3:
            kinds.add(draw(st.sampled_from(free)))
    return kinds


@st.composite
def _drawn_scalars(
    draw: st.DrawFn,
    tests: type[OperatorTests],
    sample: Sample,
    kinds: Collection[str],
    argument: str,
) -> tuple[Arguments, bool]:
    """Draw other values for arguments that are no tensors, and return whether the operator may
    refuse them.
    """
    if "large scalar" in kinds:
        other = draw(st.sampled_from(far_of(tests, sample)[argument]))
        return {argument: other.value}, other.may_refuse
    possible = others_of(tests, sample)
    if "scalars" in kinds:
        names = draw(_several_of([*possible], argument))
    elif "scalar" in kinds:
        names = [argument if argument in possible else draw(st.sampled_from([*possible]))]
    else:
        names = []
    others = {name: draw(st.sampled_from(possible[name])) for name in names}
    values = {name: other.value for name, other in others.items()}
    return values, any(other.may_refuse for other in others.values())


@st.composite
def _several_of(draw: st.DrawFn, names: Sequence[str], first: str) -> Sequence[str]:
    """Draw two names, of which one is the first if it is among them, or take all names."""
    if draw(st.integers(0, 2)) == 2:
        return names
    if first not in names:
        first = draw(st.sampled_from(names))
    return [first, draw(st.sampled_from([name for name in names if name != first]))]


@st.composite
def _drawn_left_out(draw: st.DrawFn, optional: Sequence[str], first: str) -> Sequence[str]:
    """Draw the optional tensors to leave out: one, the first if it is among them, or sometimes
    several.
    """
    if len(optional) > 1 and draw(st.integers(0, 2)) == 2:
        return draw(_several_of(optional, first))
    return [first if first in optional else draw(st.sampled_from(optional))]


@st.composite
def _drawn_longer(draw: st.DrawFn, sample: Sample) -> tuple[str, int]:
    """Draw a tensor and a dimension of it."""
    name = draw(st.sampled_from(sized_of(sample)))
    return name, draw(st.integers(0, len(sample.draws[name].shape) - 1))


@st.composite
def _drawn_lengths(
    draw: st.DrawFn, tests: type[OperatorTests], sample: Sample
) -> tuple[Mapping[str, int], Arguments]:
    """Draw another length of a list of tensors, and of the lists that have as many items in all
    samples: return the lengths of those of tensors, and the others with their items repeated.
    """
    lists = lists_of(sample)
    name = draw(st.sampled_from([*lists]))
    before = lists[name]
    length = draw(st.sampled_from([before + 1, before - 1, before + 2, 1, *_LENGTHS]))
    alike = lists_like(tests, name)
    lengths = {other: length for other in lists if other == name or other in alike}
    numbers = {
        scalar.name: [*islice(cycle(value_of(scalar, sample)), length)]
        for scalar in tests.operator.scalars
        if scalar.name in alike
    }
    return lengths, numbers


def _fitting(
    tests: type[OperatorTests], sample: Sample, dtype: torch.dtype, scalars: Arguments
) -> Arguments:
    """Return Scalars that the dtype holds, integers beside integer tensors, in place of the
    sample's.
    """
    values = tests.values({name: draw.value(draw.shape) for name, draw in sample.draws.items()})
    fitting = dict(scalars)
    for argument in tests.operator.scalars:
        value = fitting.get(argument.name, values[argument.name])
        if argument.base_type != "number" or isinstance(value, bool | list | None):
            continue
        is_wide = dtype.is_floating_point and dtype.itemsize >= 4
        if abs(value) > 100 and not (is_wide or dtype == torch.int64):
            value = 3
        if dtype == torch.uint8:
            value = abs(value)
        is_real = dtype.is_floating_point or argument.name not in tests.operator.integers
        fitting[argument.name] = value if is_real else round(value)
    return fitting


def _have_real_scalars(tests: type[OperatorTests], dtype: torch.dtype, scalars: Arguments) -> bool:
    """Return whether there is a Scalar that is no integer beside integer tensors, which kernels may
    refuse.
    """
    if dtype.is_floating_point:
        return False
    names = [argument.name for argument in tests.operator.scalars if argument.base_type == "number"]
    return any(isinstance(scalars[name], float) for name in names if name in scalars)
