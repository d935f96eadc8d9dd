"""Signs of zeros that a kernel must have: those that the reference surely passes on.

A zero has the sign that the order of sums and comparisons gives it, so a right kernel may have
another one than the reference. A sign counts where the result is proportional to a small number in
place of a zero in the arguments, as `-x` and `x * w` are, or has one sign on both sides of it, as
`abs(x)` has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from ...arguments import Arguments, floats_of, results_of, with_tensors

Compute = Callable[[Arguments], Any]

TINY = 1e-140
"""A number in place of zero, of which float64 holds products of two."""
_LEAST_SLOPE = 1e-30
"""The least change of a result, in parts of such a number, that is none of its square."""
_MOST = 1e-70
"""The largest result of such a number that is a zero's; larger ones are zero in the call's dtype
alone.
"""
_CLOSE = 1e-6
"""How closely a result is proportional to such a number."""


def small_for_zero(tensor: Tensor, small: float = TINY) -> Tensor:
    """Return the tensor with small numbers in place of zeros, of their signs, or of the others if
    the number is negative.
    """
    signs = torch.copysign(torch.ones_like(tensor), tensor)
    return torch.where(tensor == 0, signs * small, tensor)


def groups_with_zeros(tensors: Mapping[str, Tensor]) -> list[list[str]]:
    """Return the names of the tensors with zeros, of one tensor under several names together."""
    groups: dict[tuple[int, torch.Size], list[str]] = {}
    for name, tensor in tensors.items():
        if bool((tensor == 0).any()):
            groups.setdefault((tensor.data_ptr(), tensor.shape), []).append(name)
    return [*groups.values()]


def with_small(arguments: Arguments) -> Arguments:
    """Return arguments for a kernel with small numbers in place of zeros, in float32 in place of
    float16, near whose zero kernels in float32 are exact.
    """
    floats = floats_of(arguments, arguments)
    singles = {n: t.float() if t.dtype == torch.float16 else t for n, t in floats.items()}
    small = {n: small_for_zero(t, torch.finfo(t.dtype).tiny ** 0.5) for n, t in singles.items()}
    return with_tensors(arguments, small)


def signed_zeros(compute: Compute, arguments: Arguments, result: Tensor) -> Tensor:
    """Return which zeros of the reference's only result must have their sign: those that a small
    number in place of a zero in one argument leaves that sign, and that such a number in another
    argument does not change.

    Args:
        compute: the reference.
        arguments: all arguments of the call, defaults included.
        result: the reference's result.
    """
    is_passed = torch.zeros_like(result, dtype=torch.bool)
    if any(_is_zero_integer(value) for value in arguments.values()):
        return is_passed
    is_doubtful = torch.zeros_like(is_passed)
    for one, other in _pairs_with_small(arguments):
        (near,), (far,) = results_of(compute(one)), results_of(compute(other))
        if near.shape != result.shape or far.shape != result.shape:
            return torch.zeros_like(is_passed)
        passes = _passes_sign(near, far, result)
        is_passed |= passes
        is_doubtful |= ~passes & ~_has_no_effect(near, far, result)
    return is_passed & ~is_doubtful & (result == 0)


def _is_zero_integer(value: Any) -> bool:
    """Return whether a value is an integer of 0, or a list with any number of 0, for which there is
    no small one.
    """
    if isinstance(value, list | tuple):
        return any(type(item) in (int, float) and item == 0 for item in value)
    return type(value) is int and value == 0


def _pairs_with_small(arguments: Arguments) -> list[tuple[Arguments, Arguments]]:
    """Return the arguments with small numbers in place of the zeros of one argument, of their signs
    and of the others, for each argument with zeros.
    """
    floats = floats_of(arguments, arguments)
    double = with_tensors(arguments, {name: tensor.double() for name, tensor in floats.items()})
    pairs: list[tuple[Arguments, Arguments]] = []
    for names in groups_with_zeros(floats):
        near, far = (
            {name: small_for_zero(floats[name].double(), small) for name in names}
            for small in (TINY, -TINY)
        )
        pairs.append((with_tensors(double, near), with_tensors(double, far)))
    for name, value in arguments.items():
        if isinstance(value, float) and value == 0:
            small = math.copysign(TINY, value)
            pairs.append((double | {name: small}, double | {name: -small}))
    return pairs


def _passes_sign(near: Tensor, far: Tensor, result: Tensor) -> Tensor:
    """Return where small numbers of the zeros' signs give the result's sign, and those of the other
    signs the other one in proportion, or the same one.
    """
    least = torch.minimum(near.abs(), far.abs())
    has_size = (least >= _LEAST_SLOPE * TINY) & (near.abs() <= _MOST)
    has_sign = near.signbit() == result.signbit()
    is_proportional = (near + far).abs() <= _CLOSE * near.abs()
    is_of_one_sign = near.signbit() == far.signbit()
    return has_size & has_sign & (is_proportional | is_of_one_sign)


def _has_no_effect(near: Tensor, far: Tensor, result: Tensor) -> Tensor:
    """Return where small numbers of both signs leave a zero and its sign as they are."""
    is_zero = (near == 0) & (far == 0)
    return is_zero & (near.signbit() == result.signbit()) & (far.signbit() == result.signbit())
