"""Results at zeros and infinities that a right kernel may have otherwise than the reference.

`x + w * (y - x)` of an infinity is NaN, and `(1 - w) * x + w * y` is the limit; `1 / (x * w + x)`
of a zero is an infinity of one sign, and `1 / (x * (w + 1))` is one of the limit from the zero's
side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from ...arguments import Arguments, floats_of, is_floating, results_of, with_tensors
from ..calls.call import DrawnCall
from .signs import TINY, groups_with_zeros, small_for_zero

Compute = Callable[[Arguments], Any]

_LARGE = 1e100
"""A number in place of infinity, of which float64 holds products of two."""
_INFINITE = 1e30
"""Results of such a number, or of a small one, that are infinite in the limit."""
_CLOSE = 1e-2
"""How closely results agree with a limit."""
_IN_PLACE_OF_ZERO = (0.0, 1e-155, 1e-120)
"""Small numbers in place of the zeros of other tensors."""
_ZEROS_BESIDE_LARGE = (0.0, 1e-160, 1e-60)
"""Numbers in place of zeros in the computations with large numbers: products with these are small,
or large.
"""


# ---- Infinities ----


def has_limit(compute: Compute, arguments: Arguments, computed: Sequence[Tensor]) -> list[Tensor]:
    """Return which NaNs of the reference are numbers or infinities in the limit of large numbers in
    place of infinities, whichever of these is larger; nothing if there are none.
    """
    floats = {n: t.double() for n, t in floats_of(arguments, arguments).items()}
    has_infinities = any(bool(tensor.isinf().any()) for tensor in floats.values())
    if not has_infinities or not any(is_floating(r) and bool(r.isnan().any()) for r in computed):
        return []
    first, *others = (
        results_of(compute(with_tensors(arguments, _with_large(floats, seed, small))))
        for seed, small in enumerate(_ZEROS_BESIDE_LARGE)
    )
    are_near = [
        ~limit.isnan() & result.isnan() for limit, result in zip(first, computed, strict=True)
    ]
    for other in others:
        for place, (one, limit) in enumerate(zip(other, first, strict=True)):
            are_near[place] = are_near[place] & is_near(one, limit)
    return are_near


def _with_large(floats: Mapping[str, Tensor], seed: int, small: float) -> dict[str, Tensor]:
    """Return the tensors with large numbers of very different sizes in place of infinities, and a
    small one in place of zeros.
    """
    generator = torch.Generator().manual_seed(seed)
    large = {}
    for name, tensor in floats.items():
        exponents = torch.randint(0, 40, tensor.shape, generator=generator)
        sizes = _LARGE * 10.0 ** exponents.double()
        signed = small_for_zero(tensor, small)
        large[name] = torch.where(tensor.isinf(), sizes.copysign(tensor), signed)
    return large


# ---- Zeros ----


def is_of_one_side(
    compute: Compute,
    drawn: DrawnCall,
    actual: Sequence[Tensor],
    call: Callable[[DrawnCall], Sequence[Tensor]],
) -> list[Tensor]:
    """Return which results are the limits from the sides of the zeros in a tensor, as those with
    the other signs of these zeros are from the other side.

    Args:
        compute: the reference.
        drawn: the call.
        actual: its results.
        call: computes other calls in the same way.
    """
    arguments = drawn.arguments()
    floats = floats_of(arguments, arguments)
    double = {name: tensor.double() for name, tensor in floats.items()}
    are_of_one_side = [torch.zeros_like(result, dtype=torch.bool) for result in actual]
    for names in groups_with_zeros(floats):
        negated = call(replace(drawn, negated_zeros=names[0]))
        for small in _IN_PLACE_OF_ZERO:
            others = {name: small_for_zero(tensor, small) for name, tensor in double.items()}
            near, far = (
                results_of(compute(with_tensors(arguments, others | moved)))
                for moved in _both_sides(double, names)
            )
            for place, one in enumerate(actual):
                jumps = ~is_near(near[place], far[place])
                at_limits = _is_at(one, near[place]) & _is_at(negated[place], far[place])
                are_of_one_side[place] |= jumps & at_limits
    return are_of_one_side


def _both_sides(double: Mapping[str, Tensor], names: Sequence[str]) -> list[dict[str, Tensor]]:
    """Return tensors with small numbers in place of their zeros, of the same signs, and of the
    others.
    """
    return [
        {name: small_for_zero(double[name], small) for name in names} for small in (TINY, -TINY)
    ]


def is_near(one: Tensor, limit: Tensor) -> Tensor:
    """Return where results are at a limit; nowhere if they have other sizes."""
    if one.shape != limit.shape:
        return torch.zeros_like(one, dtype=torch.bool)
    if not is_floating(one):
        return one == limit
    one, limit = one.double(), limit.double()
    are_infinite = (
        (one.abs() > _INFINITE) & (limit.abs() > _INFINITE) & (one.sign() == limit.sign())
    )
    return are_infinite | torch.isclose(one, limit, _CLOSE, _CLOSE)


def _is_at(actual: Tensor, limit: Tensor) -> Tensor:
    """Return where results, which are infinite if their limit is, are at a limit."""
    return is_near(actual, limit) & (actual.isinf() | ~(limit.abs() > _INFINITE))
