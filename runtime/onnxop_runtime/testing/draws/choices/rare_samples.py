"""Samples -> samples that hold rare values, one tensor at a time: integers at the edge of what an
operator takes, and masks of one value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from ...arguments import Arguments, is_floating, split, with_tensors
from ...base import OperatorTests, cached
from ...samples import Draw, Sample, like
from ...samples import tensor as given_tensor
from .literals import is_sorted, literals_of, may_hold, with_draws, with_free_data

_OUT_OF_RANGE = re.compile("out of bounds|out of range")
"""What PyTorch says of an index that is none."""
_LEAST_OFFSETS = 3
"""The fewest increasing numbers of which some are between others."""


@cached
def rare_samples(tests: type[OperatorTests]) -> tuple[Sample, ...]:
    """Return the samples with masks of one value, and with integers at the edge of what an operator
    takes, one tensor at a time: indices that are just out of range, those from the end, 0 and
    sizes, and offsets of which neighbours are equal.
    """
    operator = tests.operator
    if not (operator.has_reference and operator.is_native):  # another library's may crash
        return ()
    samples: list[Sample] = []
    for sample in tests.samples:
        freed = with_free_data(tests, sample)
        samples += [with_draws(freed, {name: draw}) for name, draw in _masks(sample)]
        literals = literals_of(freed)
        for name, values in literals.items():
            if is_floating(values) or values.dtype == torch.bool or not values.numel():
                continue
            others = [*_just_out_of_range(tests, sample, name, values), *_with_equal(values)]
            if len(literals) == 1:  # two may describe each other, as sizes and offsets do
                others += _at_edges(tests, sample, name, values)
            draws = [given_tensor(other.tolist(), _name_of(other.dtype)) for other in others]
            samples += [with_draws(freed, {name: draw}) for draw in draws]
    return tuple(samples)


def _masks(sample: Sample) -> Iterator[tuple[str, Draw]]:
    """Yield a draw of each boolean tensor whose elements are all false, and one of true ones."""
    for name, values in split(sample.arguments())[0].items():
        if values.dtype != torch.bool or not values.dim():
            continue
        draw = sample.tensor_draws()[name]
        for value in (False, True):
            mask = replace(like(values, partial(_filled, value)), is_bounded=True)
            is_sized = draw.is_random
            yield name, replace(mask, sizes=draw.sizes, larger=draw.larger) if is_sized else mask


def _filled(value: bool, shape: tuple[int, ...]) -> Tensor:
    return torch.full(shape, value)


def _at_edges(
    tests: type[OperatorTests], sample: Sample, name: str, values: Tensor
) -> list[Tensor]:
    """Return the values with one of them at an edge: 0, sizes and their negatives, and numbers next
    to these, as far as the reference takes them, and the mapping agrees. Offsets keep their
    order.
    """
    tensors = split(sample.arguments())[0].values()
    most = max((size for tensor in tensors for size in tensor.shape), default=1)
    edges = (0, -1, -2, most - 1, most, most + 1, -most)
    candidates = [_with_one(values, number) for number in edges]
    has_order = is_sorted(values) and values.numel() >= _LEAST_OFFSETS
    others = [c for c in candidates if not torch.equal(c, values)]
    others = [c for c in others if is_sorted(c) or not has_order]
    needs_mapping = tests.operator.rule is not None
    return [o for o in others if may_hold(tests, sample, name, [o], needs_mapping=needs_mapping)]


def _just_out_of_range(
    tests: type[OperatorTests], sample: Sample, name: str, values: Tensor
) -> list[Tensor]:
    """Return the values with one of them just beyond what the reference takes for an index, on
    either side.
    """
    arguments = sample.arguments()
    sizes = sorted({size for t in split(arguments)[0].values() for size in t.shape})
    sides = (sizes, [-1, *(-size - 1 for size in sizes)])
    candidates = [[_with_one(values, number) for number in side] for side in sides]
    refused = (
        (c for c in side if _is_out_of_range(tests, with_tensors(arguments, {name: c})))
        for side in candidates
    )
    return [first for side in refused if (first := next(side, None)) is not None]


def _with_one(values: Tensor, number: int) -> Tensor:
    """Return the values with a number in the middle."""
    changed = values.flatten().clone()
    changed[changed.numel() // 2] = number
    return changed.view(values.shape)


def _is_out_of_range(tests: type[OperatorTests], arguments: Arguments) -> bool:
    """Return whether the reference says that an index is out of range."""
    try:
        tests.reference(**arguments)
    except Exception as error:  # noqa: BLE001 - whatever a reference raises
        return _OUT_OF_RANGE.search(str(error)) is not None
    return False


def _with_equal(values: Tensor) -> list[Tensor]:
    """Return increasing numbers, as offsets are, with those between the first and the last one
    equal to either.
    """
    if not is_sorted(values) or values.numel() < _LEAST_OFFSETS:
        return []
    others = [values.clone(), values.clone()]
    others[0][1:-1] = values[0]
    others[1][1:-1] = values[-1]
    return [other for other in others if not torch.equal(other, values)]


def _name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
