"""The results that a call must have: those of the reference, in float64, with what tells how far
rounding moves them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ...arguments import Arguments, floats_of, is_floating, results_of, split, with_tensors
from .expected import Expected, ExpectedResult, largest
from .limits import has_limit

Compute = Callable[[Arguments], Any]

_TIMES_CONSTANT_ROUNDING = 16
"""How much larger than the rounding of the largest input an error of constants may be."""
_MUCH_LESS = 2.0**-20
"""The part of a rounding with which results change as little, unless they jump."""


def expect(
    compute: Compute,
    arguments: Arguments,
    finite: Sequence[tuple[Arguments, Arguments]] = (),
    *,
    kinks: bool = False,
    at_bounds: bool = False,
    rounded: Arguments | None = None,
    largest_scalar: float = 1.0,
) -> Expected:
    """Compute a call by the reference.

    Args:
        compute: the reference.
        arguments: the call's arguments.
        finite: pairs of the same arguments, with two finite numbers in place of NaN and infinities.
        kinks: whether results may jump: at zeros, which rounding moves, too, and at bounds, which
            numbers of 16 bits often are equal to.
        at_bounds: whether arguments are equal to bounds, where a result that jumps is of the bound.
        rounded: the arguments that nodes have in float32, as they do.
        largest_scalar: the largest number of the call that is much larger than a sample's, times
            which rounding may be.
    """
    floats = floats_of(arguments, arguments)
    computed = _in_own_dtypes(compute, arguments, floats)
    if not floats:
        fits = _fitting(compute, arguments, computed)
        results = (ExpectedResult(one, fits=_at(fits, i)) for i, one in enumerate(computed))
        return Expected([*results])
    call = _Call(compute, arguments, floats, kinks)
    try:
        exact, *moved = call.moved()
        moved_less = call.moved(_MUCH_LESS)[1:] if at_bounds else []
        limits = [] if kinks else has_limit(compute, arguments, computed)
        if rounded:
            moved.append(call.with_arguments(rounded))
    except (RuntimeError, TypeError, ValueError):  # it does not compute in float64
        exact, moved, moved_less, limits = (), [], [], []
    depends = _depending(compute, finite, computed)
    jumps = call.jumps(exact) if kinks and exact else []
    return Expected(
        [
            ExpectedResult(
                one,
                in_float64=_at(exact, place),
                moved=[results[place] for results in moved],
                moved_less=[results[place] for results in moved_less],
                depends=_at(depends, place),
                jump=_at(jumps, place),
                has_limit=_at(limits, place),
                noise=largest_scalar * _noise(floats),
            )
            for place, one in enumerate(computed)
        ]
    )


def _at(tensors: Sequence[Tensor], index: int) -> Tensor | None:
    """Return a result's tensor, or None if there are none."""
    return tensors[index] if tensors else None


@dataclass(frozen=True)
class _Call:
    """A call that the reference computes with other floating-point numbers."""

    compute: Compute
    arguments: Arguments
    floats: dict[str, Tensor]
    kinks: bool

    def moved(self, part: float = 1.0) -> list[tuple[Tensor, ...]]:
        """Compute in float64 with the numbers as they are, and moved by a rounding, or by a part of
        one.
        """
        return [self._with(moved) for moved in _moved(self.floats, self.kinks, part)]

    def with_arguments(self, others: Arguments) -> tuple[Tensor, ...]:
        """Compute in float64 with other arguments beside the call's tensors."""
        arguments = with_tensors(self.arguments | others, _double(self.floats))
        return results_of(self.compute(arguments))

    def jumps(self, exact: Sequence[Tensor]) -> list[Tensor]:
        """Return how far results in 16 bits change if the arguments change by a rounding of
        float32; nothing for other dtypes.
        """
        if all(tensor.dtype.itemsize > 2 for tensor in self.floats.values()):
            return []
        singles = {name: tensor.float() for name, tensor in self.floats.items()}
        jumps = [torch.zeros_like(result, dtype=torch.float64) for result in exact]
        for moved in _moved(singles, kinks=True)[1:]:
            results = self._with(moved)
            if [result.shape for result in results] != [result.shape for result in exact]:
                return []
            changes = [(a.double() - b.double()).abs() for a, b in zip(results, exact, strict=True)]
            jumps = [torch.maximum(*pair) for pair in zip(jumps, changes, strict=True)]
        return [jump.nan_to_num(0.0, 0.0) for jump in jumps]

    def _with(self, tensors: dict[str, Tensor]) -> tuple[Tensor, ...]:
        return results_of(self.compute(with_tensors(self.arguments, tensors)))


def _depending(
    compute: Compute, finite: Sequence[tuple[Arguments, Arguments]], computed: Sequence[Tensor]
) -> list[Tensor]:
    """Return which elements of the results differ in a pair of calls; none if their shapes do, or
    if there is no pair.
    """
    if not finite:
        return []
    depends = [torch.zeros_like(result, dtype=torch.bool) for result in computed]
    for pair in finite:
        one, other = (results_of(compute(arguments)) for arguments in pair)
        shapes = [(a.shape, b.shape) for a, b in zip(one, other, strict=True)]
        if shapes != [(result.shape, result.shape) for result in computed]:
            return []
        changes = [a != b for a, b in zip(one, other, strict=True)]
        depends = [before | change for before, change in zip(depends, changes, strict=True)]
    return depends


def _fitting(compute: Compute, arguments: Arguments, computed: Sequence[Tensor]) -> list[Tensor]:
    """Return which results of integers their dtypes hold, by a computation in wider numbers; none
    if all fit, or if the reference does not compute in these. In C++ the overflow of signed
    integers is undefined.
    """
    tensors = split(arguments)[0]
    wide = torch.float64 if any(t.dtype == torch.int64 for t in tensors.values()) else torch.int64
    widened = {n: t.to(wide) for n, t in tensors.items() if t.dtype != torch.bool}
    try:
        results = results_of(compute(with_tensors(arguments, widened)))
    except (RuntimeError, TypeError, ValueError, IndexError):
        return []
    if [result.shape for result in results] != [result.shape for result in computed]:
        return []
    return [_holds(one.dtype, result) for one, result in zip(computed, results, strict=True)]


def _holds(dtype: torch.dtype, numbers: Tensor) -> Tensor:
    """Return which numbers a dtype holds."""
    if dtype.is_floating_point or dtype == torch.bool:
        return torch.ones_like(numbers, dtype=torch.bool)
    limits = torch.iinfo(dtype)
    return (numbers >= limits.min) & (numbers <= limits.max)


def _in_own_dtypes(
    compute: Compute, arguments: Arguments, floats: dict[str, Tensor]
) -> Sequence[Tensor]:
    """Compute a call in its dtypes; in float64, rounded, if the reference lacks bfloat16 or
    float16.
    """
    try:
        return results_of(compute(arguments))
    except RuntimeError:
        dtype = next(iter(floats.values())).dtype if floats else torch.float64
        if dtype.itemsize > 2:
            raise
    results = results_of(compute(with_tensors(arguments, _double(floats))))
    return [result.to(dtype) if is_floating(result) else result for result in results]


def _double(floats: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.double() for name, tensor in floats.items()}


def _noise(floats: dict[str, Tensor]) -> float:
    """Return the rounding of the largest number, in float32 at most."""
    noise = 0.0
    for tensor in floats.values():
        eps = min(torch.finfo(tensor.dtype).eps, torch.finfo(torch.float32).eps)
        noise = max(noise, _TIMES_CONSTANT_ROUNDING * eps * largest(tensor))
    return noise


def _moved(floats: dict[str, Tensor], kinks: bool, part: float = 1.0) -> list[dict[str, Tensor]]:
    """Return the tensors in float64, as they are and moved by a rounding, or by a part of one."""
    double = _double(floats)
    moves = [double]
    for turn in (0, 1):
        moved = {}
        for place, (name, tensor) in enumerate(double.items()):
            count = torch.arange(tensor.numel(), dtype=torch.int32).reshape(tensor.shape)
            sign = 1 - 2 * ((count * (3 + place) + turn + (count >> 1)) & 1).double()
            step = part * torch.finfo(floats[name].dtype).eps * sign / 2
            moved[name] = tensor * (1 + step)
            if kinks:
                moved[name] += step * 1e-30
        moves.append(moved)
    return moves
