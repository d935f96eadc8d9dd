"""Drawn calls of an operator, as hypothesis draws them: which kinds of changes come together, and
their values.

A drawn call is a sample with changes, so that its shapes fit together. What a sample bounds stays
bounded: random numbers with ``low`` or ``high``, and literal tensors, keep their values.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import Any, Literal

import torch
from hypothesis import strategies as st

from ...arguments import Arguments
from ...base import OperatorTests
from ...samples import Sample
from ..choices.draw_kinds import (
    ALONE,
    LAYOUTS,
    SCALARS,
    SIZES,
    SLOW,
    VALUES,
    DrawKind,
    arguments_of,
    is_foreign,
    kinds_of,
    lists_like,
    lists_of,
    optional_of,
    sized_of,
)
from ..choices.literals import samples_to_draw
from ..choices.pointwise import is_pointwise
from ..choices.scalars import bounds_of, far_of, others_of, value_of
from .call import DrawnCall
from .drawn_sizes import drawn_ranks, drawn_sizes
from .large_sizes import grows
from .narrow_integers import is_wrapped

_BOUNDS_WITHOUT_SCALARS = (1.0, 2.0)
"""Numbers that elements are equal to if there are no scalars."""
_GROUPS: tuple[tuple[DrawKind, ...], ...] = (
    SIZES,
    VALUES,
    LAYOUTS,
    ("left out",),
    (*SCALARS, "large scalar"),
)
"""The groups of kinds of which a call has one kind at most."""
_LENGTHS = (5, 9, 17)
"""Lengths of lists that are longer than those of samples."""


@st.composite
def drawn_calls(
    draw: st.DrawFn,
    tests: type[OperatorTests],
    dtypes: Sequence[torch.dtype | None],
    kind: DrawKind | Literal[""],
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
    sample = draw(_drawn_samples(tests, dtype, kind, argument))
    kinds = draw(_drawn_kinds(kinds_of(tests, sample, dtype), kind))
    drawn = DrawnCall(
        sample,
        seed=draw(st.integers(0, 10_000)),
        dtype=dtype,
        aligned=kind not in SLOW and draw(st.booleans()),
        layout=next((k for k in LAYOUTS if k in kinds), ""),
        kinds=sorted(kinds),
    )
    drawn = draw(_with_other_sizes(tests, drawn, argument))
    drawn = draw(_with_other_arguments(tests, drawn, argument))
    return draw(_with_special_values(tests, drawn))


@st.composite
def _drawn_samples(
    draw: st.DrawFn,
    tests: type[OperatorTests],
    dtype: torch.dtype | None,
    kind: DrawKind | Literal[""],
    argument: str,
) -> Sample:
    """Draw a sample in which a kind of draws changes something."""
    samples = samples_to_draw(tests)
    samples = tuple(s for s in samples if not kind or kind in kinds_of(tests, s, dtype))
    if argument:
        samples = tuple(s for s in samples if argument in arguments_of(tests, s, kind))
        if kind in SLOW:  # other tensors of a sample may hold a size
            samples = tuple(s for s in samples if grows(tests, s, argument, kind)) or samples
    if kind in SCALARS and draw(st.booleans()):  # what a scalar does may depend on these
        samples = tuple(s for s in samples if optional_of(tests, s)) or samples
    return draw(st.sampled_from(samples))


@st.composite
def _drawn_kinds(
    draw: st.DrawFn, possible: Sequence[DrawKind], kind: DrawKind | Literal[""]
) -> set[DrawKind]:
    """Draw the kinds of a call: the one, if it is given, and sometimes one of each other group."""
    kinds: set[DrawKind] = {kind} if kind else set()
    for group in _GROUPS:
        free = [other for other in group if other in possible and other not in ALONE]
        if free and not kinds & {*group} and draw(st.integers(0, 3)) == 3:
            kinds.add(draw(st.sampled_from(free)))
    if kind == "large scalar" and "equal" in possible and draw(st.integers(0, 3)):
        kinds = kinds - {*VALUES} | {"equal"}
    return kinds - {"rank"} if kind == "mismatch" else kinds


@st.composite
def _with_other_sizes(
    draw: st.DrawFn, tests: type[OperatorTests], drawn: DrawnCall, argument: str
) -> DrawnCall:
    """Draw the sizes, ranks and lengths of lists of a call, as its kinds are."""
    sample, aligned = drawn.sample, drawn.aligned
    only_named = not tests.operator.is_native or is_foreign(tests)
    for kind in drawn.kinds:
        match kind:
            case "rank":
                drawn = replace(drawn, ranks=draw(drawn_ranks(sample, aligned)))
            case "mismatch":
                drawn = replace(drawn, longer=draw(_drawn_longer(sample)))
            case "length":
                lengths, scalars = draw(_drawn_lengths(tests, sample))
                drawn = replace(drawn, lengths=lengths, scalars=scalars)
            case size if size in SIZES:
                sizes = draw(drawn_sizes(tests, sample, aligned, only_named, size, argument))
                drawn = replace(drawn, sizes=sizes)
    return drawn


@st.composite
def _with_other_arguments(
    draw: st.DrawFn, tests: type[OperatorTests], drawn: DrawnCall, argument: str
) -> DrawnCall:
    """Draw the scalars of a call, and the tensors that it leaves out, as its kinds are."""
    sample = drawn.sample
    scalars, are_doubtful = draw(_drawn_scalars(tests, sample, drawn.kinds, argument))
    left_out: Sequence[str] = ()
    if "left out" in drawn.kinds:
        left_out = draw(_drawn_left_out(optional_of(tests, sample), argument))
    return with_scalars(tests, replace(drawn, left_out=left_out), scalars, are_doubtful)


def with_scalars(
    tests: type[OperatorTests], drawn: DrawnCall, scalars: Arguments, are_doubtful: bool
) -> DrawnCall:
    """Return a call with other scalars, as its dtype holds them, and those of its lists' lengths.

    ``are_doubtful``: whether the operator may refuse them.
    """
    dtype = drawn.dtype
    if dtype is not None:
        scalars = _fitting(tests, drawn.sample, dtype, scalars)
        are_doubtful |= _have_real_scalars(tests, dtype, scalars)
    scalars = scalars | drawn.scalars
    return replace(drawn, scalars=scalars, has_doubtful_scalars=are_doubtful)


@st.composite
def _with_special_values(
    draw: st.DrawFn, tests: type[OperatorTests], drawn: DrawnCall
) -> DrawnCall:
    """Draw what the elements of a call are, as its kinds are."""
    values = next((k for k in VALUES if k in drawn.kinds), "")
    drawn = replace(drawn, values=values)
    if values == "infinities":
        return replace(drawn, has_zeros_beside=draw(st.booleans()))
    return with_bounds(tests, drawn) if values == "equal" else drawn


def with_bounds(tests: type[OperatorTests], drawn: DrawnCall) -> DrawnCall:
    """Return a call with elements that are equal to its scalars, as simple numbers."""
    bounds, simple = bounds_of(tests, drawn.sample, drawn.scalars)
    return replace(
        drawn,
        bounds=bounds or _BOUNDS_WITHOUT_SCALARS,
        scalars=drawn.scalars | simple,
        has_doubtful_scalars=drawn.has_doubtful_scalars or bool(simple),
        is_pointwise=is_pointwise(tests),
    )


@st.composite
def _drawn_scalars(
    draw: st.DrawFn,
    tests: type[OperatorTests],
    sample: Sample,
    kinds: Collection[DrawKind],
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
    """Draw another length of a list of tensors: return what `with_length` does."""
    lists = lists_of(sample)
    name = draw(st.sampled_from([*lists]))
    return with_length(tests, sample, name, draw(st.sampled_from(other_lengths(lists[name]))))


def other_lengths(before: int) -> Sequence[int]:
    """Return other lengths of a list of tensors."""
    return [before + 1, before - 1, before + 2, 1, *_LENGTHS]


def with_length(
    tests: type[OperatorTests], sample: Sample, name: str, length: int
) -> tuple[Mapping[str, int], Arguments]:
    """Give a list of tensors another length, and the lists that have as many items in all samples:
    return the lengths of those of tensors, and the others with their items repeated.
    """
    alike = lists_like(tests, name)
    lengths = {other: length for other in lists_of(sample) if other == name or other in alike}
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
    sample's; and those of the other scalars that an integer dtype holds, or the reference does not
    wrap to it.
    """
    scalars = {
        name: value
        for name, value in scalars.items()
        if _is_held(value, dtype) or not is_wrapped(tests, sample, dtype, name, value)
    }
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


def _is_held(value: Any, dtype: torch.dtype) -> bool:
    """Return whether an integer dtype holds a value that is an integer."""
    if dtype.is_floating_point or dtype == torch.bool or type(value) is not int:
        return True
    limits = torch.iinfo(dtype)
    return limits.min <= value <= limits.max


def _have_real_scalars(tests: type[OperatorTests], dtype: torch.dtype, scalars: Arguments) -> bool:
    """Return whether there is a Scalar that is no integer beside integer tensors, which kernels may
    refuse.
    """
    if dtype.is_floating_point:
        return False
    names = [argument.name for argument in tests.operator.scalars if argument.base_type == "number"]
    return any(isinstance(scalars[name], float) for name in names if name in scalars)
