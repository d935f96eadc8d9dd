"""Errors that are too small to be wrong, but have one cause: subnormal numbers taken for 0, and
truncation.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ...arguments import is_floating

_SMALL = 2**10
"""How much larger than the smallest normal number small ones are."""
_MANY_ROUNDED = 24
"""The numbers rounded towards zero that are no accident: of a right kernel, one in 2^24 draws has
as many.
"""
_LEAST_MEDIAN_OF_TRUNCATED = 0.6
"""Units in the last place that most of them are too small by."""


def systematic_error(
    actual: Tensor, computed: Tensor, in_float64: Sequence[Tensor], is_pointwise: bool
) -> str:
    """Return a fact about errors that are too small to be wrong, but have one cause; "" if there is
    none.

    Args:
        actual: the result.
        computed: that of the reference in the call's dtypes.
        in_float64: those of the reference in float64: the exact one, and those of arguments that
            differ by a rounding.
        is_pointwise: whether each element is of one element of each argument.
    """
    if not is_floating(actual):
        return ""
    if is_pointwise and (fact := _flushed(actual, computed, in_float64)):
        return fact
    return _truncated(actual, computed, in_float64[0]) if actual.dtype.itemsize == 2 else ""


def _flushed(actual: Tensor, computed: Tensor, in_float64: Sequence[Tensor]) -> str:
    """Return that subnormal numbers, in float64 those of float32, too, are 0, if the smallest
    normal ones are right. A kernel that is not exact near zero, as one of `1 + x - 1`, is right in
    neither.
    """
    limits = [torch.finfo(actual.dtype).tiny]
    if actual.dtype == torch.float64:
        limits.append(torch.finfo(torch.float32).tiny)
    facts = (_flushed_below(tiny, actual, computed, in_float64) for tiny in limits)
    return next(filter(None, facts), "")


def _flushed_below(
    tiny: float, actual: Tensor, computed: Tensor, in_float64: Sequence[Tensor]
) -> str:
    """Return that numbers just below a limit are 0, if those just above are right."""
    exact, *moved = in_float64
    size = exact.abs()
    is_small = (size >= tiny) & (size < tiny * _SMALL)
    is_subnormal = (size >= tiny / _SMALL) & (size < tiny) & (computed != 0)
    for other in moved:
        is_subnormal &= (other - exact).abs() <= size / 4
    is_near = (actual.double() - exact).abs() <= size / 4
    is_exact = bool(is_small.any()) and bool(is_near[is_small].all())
    is_flushed = is_subnormal & (actual == 0)
    if not (is_exact and bool(is_flushed.any())):
        return ""
    return (
        f"{first_difference(is_flushed, actual, exact)}: numbers below {tiny:.1e} are taken for 0"
    )


def _truncated(actual: Tensor, computed: Tensor, exact: Tensor) -> str:
    """Return that numbers are rounded towards zero: all that are not the nearest ones, though the
    reference's in 16 bits are not.
    """
    count = _towards_zero(actual, exact)
    if count < _MANY_ROUNDED or _towards_zero(computed, exact) > 0:
        return ""
    fact = f"is rounded towards zero in {count} of {count} numbers"
    return f"{fact}; round to the nearest, as store() does"


def _towards_zero(numbers: Tensor, exact: Tensor) -> int:
    """Return how many different numbers are not the nearest ones, if all these are nearer to zero
    by less than one unit in the last place, and most by more than the half to which the error of a
    common sum may lead; 0 otherwise.
    """
    eps = torch.finfo(numbers.dtype).eps
    is_other = (numbers != exact.to(numbers.dtype)) & exact.isfinite() & numbers.isfinite()
    numbers, exact = numbers[is_other].double(), exact[is_other]
    if not numbers.numel():
        return 0
    exponent = exact.frexp().exponent
    errors = (exact.abs() - numbers.abs()) / (eps / 2 * 2.0**exponent)
    is_below = bool(((errors > 0) & (errors < 1)).all())
    if not is_below or float(errors.median()) < _LEAST_MEDIAN_OF_TRUNCATED:
        return 0
    return len({*exact.tolist()})


def first_difference(is_wrong: Tensor, actual: Tensor, exact: Tensor) -> str:
    """Describe the first wrong element."""
    place = tuple(int(i) for i in is_wrong.nonzero()[0])
    count = int(is_wrong.sum())
    where = f" at {[*place]}" if place else ""
    more = f" ({count} of {actual.numel()} elements differ)" if count > 1 else ""
    return f"is {actual[place].item()}{where}, but the reference gives {exact[place].item()}{more}"
