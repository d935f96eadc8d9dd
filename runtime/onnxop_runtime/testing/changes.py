"""Other values for one argument of a call, and what they change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import repeat
from typing import Any

import torch
from torch import Tensor

from ..operator.arguments import OperatorArgument
from .arguments import Arguments, floating, results_of, split, with_tensors
from .base import OperatorTests
from .samples import Sample, random

_REDRAWS = 4
"""How often a tensor's numbers are drawn again, to see whether a result depends on them."""
FOR_NONE: dict[str, list[Any]] = {
    "bool": [True],
    "int": [1, 2, 0],
    "float": [0.5, 2.0, 0.0],
    "number": [2, 0.5, 0],
}
"""Values for a number that a call leaves out, by the kind of the argument."""


class Effect(Enum):
    """What another value of an argument does to a call."""

    NONE = 0
    DIFFERENT = 1
    REFUSED = 2


@dataclass(frozen=True)
class Change:
    """A call of a sample with other values for some arguments."""

    sample: Sample
    changed: Arguments

    def __str__(self) -> str:
        return ", ".join(f"{name}={_shown(value)}" for name, value in self.changed.items())


def change_of_default(tests: type[OperatorTests], argument: OperatorArgument) -> Change | None:
    """Return a call with another value than an argument's default: a sample's, or else one that the
    operator computes, with other results if there is such a value. None if there is no value.
    """
    for sample in tests.samples:
        value = sample.arguments().get(argument.name, argument.default)
        if not _is_same(value, argument.default):
            return Change(sample, {argument.name: value})
    without_effect = None
    sample = tests.samples[0]
    arguments = sample.arguments()
    for value in _other_values(tests, sample, argument):
        change = Change(sample, {argument.name: value})
        effect = _effect(tests, arguments, change.changed)
        if effect is Effect.DIFFERENT:
            return change
        if effect is Effect.NONE:
            without_effect = without_effect or change
    return without_effect


def has_effect(tests: type[OperatorTests], argument: OperatorArgument) -> bool | None:
    """Return whether another value of an argument changes a result or a gradient, or is refused.
    Return None if there is no other value to try.
    """
    is_tried = False
    for sample in _drawn_samples(tests):
        arguments = sample.arguments()
        for value in _other_values(tests, sample, argument):
            is_tried = True
            if _effect(tests, arguments, {argument.name: value}) is not Effect.NONE:
                return True
    return False if is_tried else None


def _drawn_samples(tests: type[OperatorTests]) -> Iterator[Sample]:
    """Yield each sample, those with random numbers several times: an argument may matter at some
    numbers only.
    """
    for sample in tests.samples:
        has_random = any(draw.has_random for draw in sample.draws.values())
        yield from repeat(sample, _REDRAWS if has_random else 1)


def near(value: Any) -> list[Any]:
    """Return other values for a number, or a list of numbers, near the given one, which must stay
    meaningful.
    """
    if isinstance(value, list | tuple):
        steps = [(index, step) for index in range(len(value)) for step in (1, -1)]
        return [_stepped(value, index, step) for index, step in steps]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value + 2, value + 5, value - 1 if value != 1 else 4]
    return [value + 0.5, value * 2 + 0.25, value - 0.75, value * 0.5]


def _stepped(values: Sequence[Any], index: int, step: int) -> list[Any]:
    """Return a list with one number changed by a step; a boolean to the other one."""
    value = values[index]
    stepped = [*values]
    stepped[index] = not value if isinstance(value, bool) else value + step
    return stepped


def _other_values(
    tests: type[OperatorTests], sample: Sample, argument: OperatorArgument
) -> Iterator[Any]:
    """Yield values for an argument that are not the sample's."""
    arguments = sample.arguments()
    value = arguments.get(argument.name, argument.default)
    if argument.is_tensor:
        yield from _other_tensors(tests, sample, argument)
        return
    others = [other.arguments().get(argument.name, argument.default) for other in tests.samples]
    if value in (None, []):
        numbers: list[Any] = FOR_NONE.get(argument.base_type, [])
        others += [[number] for number in numbers] if argument.is_list else numbers
    elif argument.base_type in FOR_NONE:
        others += near(value)
    yield from (other for other in others if not _is_same(other, value))


def _other_tensors(
    tests: type[OperatorTests], sample: Sample, argument: OperatorArgument
) -> Iterator[Any]:
    """Yield tensors for an argument: with other random numbers of the sample; or none, or one of a
    shape that others have, for an optional one.
    """
    draw = sample.draws.get(argument.name)
    if draw is not None and draw.has_random:
        yield from (draw.value(draw.shape) for _ in range(_REDRAWS))
    if not argument.is_optional:
        return
    arguments = sample.arguments()
    if arguments.get(argument.name) is not None:
        yield None
        return
    if argument.is_list or not tests.operator.has_reference:
        return  # what a kernel does with a shape that is wrong is not known
    tensors = [*split(arguments)[0].values()]
    tensors += results_of(tests.function(**arguments))
    shapes = dict.fromkeys(shape for tensor in tensors for shape in _shapes_of(tensor))
    for dtype in dict.fromkeys(str(tensor.dtype).removeprefix("torch.") for tensor in tensors):
        yield from (random(dtype, *shape).value(shape) for shape in shapes)


def _shapes_of(tensor: Tensor) -> list[tuple[int, ...]]:
    """Return a tensor's shape, and the shapes of a weight of each of its dimensions, and of a
    scalar.
    """
    return [tuple(tensor.shape), *((size,) for size in reversed(tensor.shape)), ()]


def _effect(tests: type[OperatorTests], arguments: Arguments, changed: Arguments) -> Effect:
    """Return what changed arguments do. The reference goes first, because a kernel may crash where
    it refuses.
    """
    after = arguments | changed
    try:
        if tests.operator.has_reference:
            tests.reference(**after)
        results = results_of(tests.function(**after))
    except Exception:  # noqa: BLE001 - whatever an operator raises
        return Effect.REFUSED
    if not _agree(results, results_of(tests.function(**arguments))):
        return Effect.DIFFERENT
    of_both = [_gradients(tests, values) for values in (arguments, after)]
    return Effect.NONE if _agree(*of_both) else Effect.DIFFERENT


def _gradients(tests: type[OperatorTests], arguments: Arguments) -> tuple[Tensor, ...]:
    """Return the gradients of the sum of the results."""
    inputs = tests.with_gradients(arguments)
    leaves = [tensor.detach().requires_grad_() for tensor in inputs.values()]
    replaced = dict(zip(inputs, leaves, strict=True))
    results = floating(tests.function(**with_tensors(arguments, replaced)))
    sums = [result.sum() for result in results if result.requires_grad]
    if not sums:
        return ()
    total = torch.stack([one.double() for one in sums]).sum()
    return torch.autograd.grad(total, leaves, materialize_grads=True)


def _agree(results: tuple[Tensor, ...], others: tuple[Tensor, ...]) -> bool:
    """Return whether results are equal; NaN equals NaN."""
    return len(results) == len(others) and all(map(_is_same, results, others))


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        is_alike = (one.dtype, one.shape) == (other.dtype, other.shape)
        return is_alike and torch.allclose(one, other, 0.0, 0.0, equal_nan=True)
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return False
    if isinstance(one, list) and any(isinstance(item, Tensor) for item in one):
        return False
    return type(one) is type(other) and bool(one == other)


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{[*value.shape]}"
    return str(value)
