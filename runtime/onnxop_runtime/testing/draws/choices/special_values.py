"""Numbers that samples do not have: zeros of both signs, extremes of a dtype, NaN, infinities, and
far ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import torch
from torch import Tensor

FINITE = {"one": 1.0, "near one": 1.01, "-2": -2.0, "near -2": -2.02}
"""Values in place of NaN and infinities, which tell what depends on these."""
OF_FLOATS = ("NaN", "infinities", *FINITE)
"""The kinds of values that only floating-point tensors hold."""
_BEYOND_FLOAT32 = (1e39, -1e42, 2e-38, -3e-38, 3e-39, -5e-40, 1.0)
"""Numbers of float64 that are infinite or subnormal in float32, and some that are neither."""


LARGEST_OF_TIES = (127.0, 255.0, 127.5, 7.0, 15.0, 1.0, 128.0, 448.0)
"""The largest numbers of tensors with ties: those to which quantizations scale."""
_MOST_TIES = 20
"""The numbers on each side of 0 that are ties, or integers, if the largest is as large."""
COUNT_OF_EXTREMES = 5
"""The groups of extreme integers of int64; other dtypes have fewer."""
_FAR = {torch.float64: 3e7}
_FAR_OF_OTHERS = 3e3
"""How far from 0 numbers are whose differences matter, by dtype."""


def with_values(tensor: Tensor, kind: str, generator: torch.Generator, seed: int = 0) -> Tensor:
    """Return the tensor with special values of a kind in a third of its elements, and at least in
    one, or in all.

    Tensors of one seed get the same large integers, so that comparisons meet equal ones.
    """
    if kind == "wide":
        factors = torch.tensor([1.0, 4.0, 40.0, 700.0]).to(torch.float64)
        choice = torch.randint(len(factors), tensor.shape, generator=generator)
        limit = 60 if not tensor.is_floating_point() else 700
        scaled = tensor.double() * factors[choice].clamp(max=limit)
        return scaled.clamp(*_range(tensor.dtype)).to(tensor.dtype)
    if kind == "offset":
        return (tensor.double() + _FAR.get(tensor.dtype, _FAR_OF_OTHERS)).to(tensor.dtype)
    if kind == "powers":
        return _with_powers(tensor)
    if kind == "ties":
        return _with_ties(tensor, LARGEST_OF_TIES[seed % len(LARGEST_OF_TIES)], generator)
    if kind == "extremes" and tensor.dtype == torch.float64:
        is_beyond = torch.rand((), generator=generator) < 1 / 2
        kind = "beyond float32" if is_beyond else kind
    values = torch.tensor(_values(tensor.dtype, kind, seed), dtype=tensor.dtype)
    if not (len(values) and tensor.numel()):
        return tensor
    choice = torch.randint(len(values), tensor.shape, generator=generator)
    is_chosen = torch.rand(tensor.shape, generator=generator) < 1 / 3
    is_chosen.view(-1)[int(torch.randint(tensor.numel(), (), generator=generator))] = True
    if torch.rand((), generator=generator) < 1 / 4:
        is_chosen[...] = True
    return torch.where(is_chosen, values[choice], tensor)


def _with_ties(tensor: Tensor, largest: float, generator: torch.Generator) -> Tensor:
    """Return multiples of a half of a tensor's shape, of which each slice along a dimension has the
    largest number, and each longer one its negative.
    """
    most = min(_MOST_TIES, int(2 * largest) - 1)
    halves = torch.randint(-most, most + 1, tensor.shape, generator=generator).double() / 2
    places = torch.zeros(tensor.shape, dtype=torch.int64)
    for dimension, size in enumerate(tensor.shape):
        along = torch.arange(size).reshape([-1] + [1] * (tensor.dim() - dimension - 1))
        places = places + along
    signs = 1.0 - places % 4
    return torch.where(places % 2 == 0, signs * largest, halves).to(tensor.dtype)


def _with_powers(tensor: Tensor) -> Tensor:
    """Return a tensor with a power of two in place of each number, if one of both beside it is in
    the tensor's own range.
    """
    if not tensor.numel():
        return tensor
    numbers = tensor.double()
    exponents = numbers.abs().log2()
    powers = numbers
    for exponent in (exponents.floor(), exponents.ceil()):
        power = torch.copysign(exponent.exp2(), numbers)
        is_in_range = (power >= numbers.min()) & (power <= numbers.max())
        powers = torch.where(is_in_range, power, powers)
    return powers.to(tensor.dtype)


def with_numbers(
    tensor: Tensor, numbers: Sequence[float], generator: torch.Generator, *, is_once: bool
) -> Tensor:
    """Return the tensor with some elements that are equal to numbers, to their negatives, to
    multiples of their halves, or next to them.

    Args:
        tensor: the tensor.
        numbers: the numbers.
        generator: draws which elements are.
        is_once: whether each of these is in the tensor once, all of them of one sign.
    """
    values = _beside(numbers, tensor.dtype)
    if is_once:
        sign = 1 - 2 * torch.randint(2, (), generator=generator)
        values = values[values.sign() == sign]
        values = values[torch.randperm(len(values), generator=generator)][: tensor.numel()]
        places = torch.randperm(tensor.numel(), generator=generator)[: len(values)]
        changed = tensor.flatten().clone()
        changed[places] = values
        return changed.view(tensor.shape)
    if not len(values):
        return tensor
    often = torch.cat([values, *[_nearest(numbers, tensor.dtype)] * 3])
    choice = torch.randint(len(often), tensor.shape, generator=generator)
    is_chosen = torch.rand(tensor.shape, generator=generator) < 3 / 4
    return torch.where(is_chosen, often[choice], tensor)


def _beside(numbers: Sequence[float], dtype: torch.dtype) -> Tensor:
    """Return multiples of halves of numbers, among which rounding to even differs, with their
    negatives, and the nearest numbers, each once.
    """
    exact = torch.tensor([*numbers, *(-n for n in numbers)], dtype=torch.float64)
    multiples = _within_range(torch.cat([exact * factor for factor in (0.5, 1.5, 2.0, 2.5)]), dtype)
    every = torch.cat([multiples, _nearest(numbers, dtype), _nearest([-n for n in numbers], dtype)])
    return torch.tensor(sorted({*every.tolist()}), dtype=dtype)


def _nearest(numbers: Sequence[float], dtype: torch.dtype) -> Tensor:
    """Return numbers and their neighbours in a dtype, as far as it has them."""
    exact = torch.tensor(numbers, dtype=torch.float64)
    if not dtype.is_floating_point:
        return _within_range(torch.cat([exact, exact + 1, exact - 1]), dtype)
    equal = exact.to(dtype)
    up, down = (torch.full_like(equal, sign * float("inf")) for sign in (1, -1))
    neighbours = [equal.nextafter(up).double(), equal.nextafter(down).double()]
    return _within_range(torch.cat([exact, *neighbours]), dtype)


def _within_range(numbers: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the numbers that are in a dtype's range."""
    least, most = _limits(dtype)
    return numbers[(numbers >= least) & (numbers <= most)].to(dtype)


def _limits(dtype: torch.dtype) -> tuple[float, float]:
    limits = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    return limits.min, limits.max


def _range(dtype: torch.dtype) -> tuple[float, float]:
    if dtype == torch.bool:
        return 0, 1
    if dtype.is_floating_point:
        return -30_000.0, 30_000.0  # float16 holds it
    limits = torch.iinfo(dtype)
    return max(limits.min // 2, -(2**20)), min(limits.max // 2, 2**20)


def _values(dtype: torch.dtype, kind: str, seed: int) -> Sequence[float]:
    if dtype == torch.bool:
        return ()
    if not dtype.is_floating_point:
        return {"zeros": [0], "extremes": _extreme_integers(dtype, seed)}.get(kind, ())
    if kind in FINITE:
        return [FINITE[kind]] * 2
    return {
        "zeros": [0.0, -0.0],
        "extremes": _extremes(dtype),
        "beyond float32": _BEYOND_FLOAT32,
        "NaN": [float("nan")] * 2,
        "infinities": [float("inf"), -float("inf")],
    }[kind]


def _extreme_integers(dtype: torch.dtype, seed: int) -> Sequence[int]:
    """Return large integers: two neighbours, which are the same number in float32 or float64, or
    some of all sizes.
    """
    limits = torch.iinfo(dtype)
    pairs = [[limits.max - 1, limits.max], [limits.min, limits.min + 1]]
    pairs += [[number, number + 1] for number in (2**24, 2**53) if number < limits.max]
    others = [limits.max // 16, limits.max // 32]
    groups = [[*chain.from_iterable(pairs), *others], *pairs]
    return groups[seed % len(groups)]


def _extremes(dtype: torch.dtype) -> Sequence[float]:
    # Of float64, numbers whose products do not overflow: there is no wider dtype to tell that
    # rounding decides.
    limits = torch.finfo(torch.float32 if dtype == torch.float64 else dtype)
    smallest = torch.finfo(dtype).tiny
    return [
        limits.max,
        limits.min,
        limits.tiny,
        -2 * limits.tiny,
        smallest / 4,
        -smallest / 8,
        1000.0,
        -1000.0,
        limits.eps,
        1.0,
        -1.0,
    ]
