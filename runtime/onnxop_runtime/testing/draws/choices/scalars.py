"""Other values for arguments that are no tensors: near the samples', 0, missing, of other
magnitudes, and beyond 16 and 32 bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....operator.arguments import OperatorArgument
from ...arguments import Arguments
from ...base import OperatorTests, cached
from ...changes import FOR_NONE, near
from ...samples import Sample
from .compared_texts import compared_texts
from .literals import are_as_fast

_SMALL = (1, 2, -1, -2)
"""Integers that are often cases of their own: as sizes and counts, or as dimensions."""
_BEYOND = (2**16 + 3, 2**32 + 5, 2**31 + 7)
"""Integers that 16 and 32 bits do not hold."""
_MAGNITUDES = (2.0**-20, 2.0**-10, 2.0**10, 2.0**20)
"""Small and large floats, which every dtype but float16 holds."""
_PROBES = (10, 100, 1_000, 100_000, 10_000_000)
"""Integers with which a reference is tried before these: it may loop so often, or make a tensor of
such a size.
"""


@dataclass(frozen=True)
class Other:
    """Another value for an argument that is no tensor."""

    value: Any
    may_refuse: bool = False
    """Whether an operator may refuse it."""


@cached
def others_of(tests: type[OperatorTests], sample: Sample) -> Mapping[str, Sequence[Other]]:
    """Return other values for a sample's arguments that are no tensors, defaults included,
    by name.
    """
    others: dict[str, list[Other]] = {}
    for argument in tests.operator.scalars:
        value, *sampled = (value_of(argument, each) for each in (sample, *tests.samples))
        possible = _other_numbers(argument, value)
        possible += map(Other, sampled)
        if argument.base_type == "str" and not argument.is_list:
            texts = compared_texts(tests, argument.name)
            possible += [Other(text, may_refuse=True) for text in texts if text not in sampled]
        if argument.is_optional:
            possible.append(Other(None))
        different = [other for other in possible if repr(other.value) != repr(value)]
        if different:
            others[argument.name] = different
    return others


@cached
def far_of(tests: type[OperatorTests], sample: Sample) -> Mapping[str, Sequence[Other]]:
    """Return numbers of other magnitudes for a sample's arguments: integers beyond 16 and 32 bits,
    and large and small floats, where the reference computes results of the same sizes from large
    ones, and as fast.
    """
    others: dict[str, list[Other]] = {}
    if not tests.operator.has_reference:
        return others
    for argument in tests.operator.scalars:
        value = value_of(argument, sample)
        probes, beyond = _far_numbers(argument, value)
        changes = ({argument.name: _far(value, probe)} for probe in probes)
        if beyond and are_as_fast(tests, sample, changes):
            numbers = [_far(value, number) for number in beyond]
            others[argument.name] = [Other(other, may_refuse=True) for other in numbers]
    return others


def _far_numbers(argument: OperatorArgument, value: Any) -> tuple[Sequence[float], Sequence[float]]:
    """Return numbers with which a reference is tried first, and those that are far from an
    argument's value; nothing for other kinds of arguments.
    """
    if argument.base_type == "int" or (argument.base_type == "number" and type(value) is int):
        return _PROBES, _BEYOND
    if isinstance(value, float) and value != 0 and math.isfinite(value):
        sign = math.copysign(1.0, value)
        return [sign * probe for probe in _PROBES], [sign * number for number in _MAGNITUDES]
    return [], []


def bounds_of(
    tests: type[OperatorTests], sample: Sample, scalars: Arguments
) -> tuple[list[float], Arguments]:
    """Return the numbers other than 0 of a call's scalars, to which numbers in tensors may be
    equal, and the scalars that are then others: powers of two, which every dtype holds.

    Args:
        tests: the operator's tests.
        sample: the sample.
        scalars: what the call has in place of the sample's scalars.
    """
    bounds: list[float] = []
    changed: Arguments = {}
    for argument in tests.operator.scalars:
        value = scalars.get(argument.name, value_of(argument, sample))
        if isinstance(value, bool | str) or not isinstance(value, int | float) or value == 0:
            continue
        if isinstance(value, float):
            if not math.isfinite(value):
                continue
            value = math.copysign(2.0 ** math.floor(math.log2(abs(value))), value)
            changed[argument.name] = value
        bounds.append(value)
    return bounds, changed


def _far(value: Any, number: float) -> Any:
    """Return a number, or a list that begins with it."""
    return [number, *value[1:]] if isinstance(value, list | tuple) else number


def value_of(argument: OperatorArgument, sample: Sample) -> Any:
    """Return the value of an argument that is no tensor."""
    draw = sample.draws.get(argument.name)
    return argument.default if draw is None else draw.value(())


def _other_numbers(argument: OperatorArgument, value: Any) -> list[Other]:
    """Return other values for a number or a list of numbers, 0 first, which code may take for a
    missing number.
    """
    if argument.base_type not in FOR_NONE:
        return []
    if value is None or value == []:
        numbers = sorted(FOR_NONE[argument.base_type], key=bool)
        return [Other([n] if argument.is_list else n, may_refuse=True) for n in numbers]
    if isinstance(value, list | tuple):
        return _other_lists([*value])
    others = [*near(value)]
    if isinstance(value, float):
        # float32 does not hold these: a kernel in float64 must not narrow them.
        others = [*(other + 0.01 for other in others), value + 0.1, -value]
    elif not isinstance(value, bool):
        others += [2 * value + 7, -value, *(small for small in _SMALL if small not in others)]
    zero = Other(type(value)(0), may_refuse=True)
    return [zero, *(Other(other, (other < 0) != (value < 0)) for other in others)]


def _other_lists(numbers: list[Any]) -> list[Other]:
    """Return lists near a list of numbers, its reverse, and lists of other lengths, with another
    sign, and far from it.
    """
    others = [Other(numbers[::-1]), *map(Other, near(numbers))]
    distant = [numbers[:-1], [*numbers, numbers[-1]], [], numbers * 2]
    distant += [_with_equal(numbers, place) for place in range(1, len(numbers))]
    if not isinstance(numbers[0], bool):
        distant += [_with_other_sign(numbers, place) for place in range(len(numbers))]
        # Steps beyond a window, or beyond a size on either side.
        distant += [[number + step for number in numbers] for step in (3, 11, -11)]
    return others + [Other(other, may_refuse=True) for other in distant]


def _with_equal(numbers: list[Any], index: int) -> list[Any]:
    """Return a list of numbers of which one is as the one before it."""
    return [*numbers[:index], numbers[index - 1], *numbers[index + 1 :]]


def _with_other_sign(numbers: list[Any], index: int) -> list[Any]:
    """Return a list of numbers of which one has the other sign; -1 in place of 0."""
    number = numbers[index]
    return [*numbers[:index], -number if number else type(number)(-1), *numbers[index + 1 :]]
