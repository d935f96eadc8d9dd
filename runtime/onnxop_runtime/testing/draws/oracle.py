"""The results that a call must have: those of the reference, in float64, with the errors that
rounding explains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from ..arguments import Arguments, floats_of, is_floating, results_of, split, with_tensors
from .limits import has_limit
from .rounding import first_difference, systematic_error

Kind = Literal["finite", "infinite", "NaN"]
Compute = Callable[[Arguments], Any]

_RELATIVE = {
    torch.float64: 1e-9,
    torch.float32: 1e-5,
    torch.float16: 4e-3,
    torch.bfloat16: 3e-2,
}
_ABSOLUTE = {torch.float64: 1e-11, torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 1e-2}
_OF_OWN_ROUNDING = 4
_OF_INPUTS = 32
_OF_HALVES = 3
_OF_CONSTANTS = 16
"""How much larger than roundings an error may be: of the reference, of the inputs, of those of 16
bits, with which kernels compute in float32, and of constants.
"""
_MUCH_LESS = 2.0**-20
"""The part of a rounding with which results change as little, unless they jump."""
_OF_JUMP = 0.01
"""The part of a jump by which the reference's own rounding may be off."""


@dataclass(frozen=True)
class Rule:
    """What must agree with the reference, and how closely. Where the reference's results are not of
    one kind, as finite numbers or infinities, rounding decides, and no rule applies.
    """

    errors: Callable[[torch.dtype], tuple[float, float]] | None = None
    """Relative and absolute errors by dtype, in place of those between computations in PyTorch."""
    pointwise: bool = False
    """Whether infinities of both signs and NaN are told apart. In sums, their order decides."""
    only: Sequence[Kind] = ("finite", "infinite", "NaN")
    """The results of the reference that are compared."""
    terms: int = 1
    """The most numbers that a result may be a sum of, in float32, whose errors add up."""
    drifts: bool = False
    """Whether sums are so long that their errors are as large beside sums of both signs."""
    overflow: bool = False
    """Whether a product that overflows in one order, but not in another, may make infinities and
    NaN of finite numbers.
    """
    rounds_steps: bool = False
    """Whether numbers are rounded to 16 bits after each step, as nodes do, and not only at the end.
    """

    @property
    def is_exact(self) -> bool:
        """Whether each number is computed by the kernel alone, and rounded to nearest."""
        return self.errors is None


@dataclass(frozen=True)
class Expected:
    """Results of the reference: one computed in the call's dtypes, and several in float64, of the
    arguments and of arguments that differ by a rounding.
    """

    own: Sequence[Tensor]
    others: Sequence[Sequence[Tensor]]
    nearest: Sequence[Sequence[Tensor]] = ()
    """Those of arguments that differ by much less than a rounding; empty if no argument is equal to
    a bound.
    """
    depends: Sequence[Tensor] = ()
    """Which elements depend on NaN and infinities in the arguments; empty if there are none."""
    fits: Sequence[Tensor] = ()
    """Which integers do not overflow; empty if all fit."""
    jumps: Sequence[Tensor] = ()
    """How far results in 16 bits change with the smallest change of the arguments, as gradients do
    at a bound; empty if that is not computed.
    """
    has_limit: Sequence[Tensor] = ()
    """Which NaNs are something else in the limit of large numbers; empty if there are no
    infinities.
    """
    noise: float = 0.0
    """The rounding of the largest argument, to which constants of the computation, as positions,
    add up.
    """

    def difference(
        self,
        actual: Sequence[Tensor],
        rule: Rule,
        names: Sequence[str] = (),
        excused: Sequence[Tensor] = (),
    ) -> str:
        """Return the first difference of results as a sentence, or "".

        Args:
            actual: the results.
            rule: what must agree.
            names: what the results are.
            excused: which elements are not compared; empty if all are.
        """
        if len(actual) != len(self.own):
            return f"there are {len(actual)} results, but the reference has {len(self.own)}"
        for place, (one, own) in enumerate(zip(actual, self.own, strict=True)):
            name = names[place] if names else _name_of(place, len(actual))
            others = [other[place] for other in self.others]
            nearest = [other[place] for other in self.nearest]
            if any(other.shape != own.shape for other in (*others, *nearest)):
                continue  # the sizes depend on values that rounding changes
            if (one.dtype, one.shape) != (own.dtype, own.shape):
                return f"{name} is {_kind(one)}, but the reference has {_kind(own)}"
            jump = _OF_INPUTS * self.jumps[place] if self.jumps else 0.0
            wrong = _wrong(one, own, others, nearest, rule, self.noise + jump)
            if self.depends and self.depends[place].shape == wrong.shape:
                wrong &= self.depends[place] | own.isfinite()
            for masks in (self.has_limit, excused):
                if masks:
                    wrong &= ~masks[place]
            if self.fits:
                wrong &= self.fits[place]
            if bool(wrong.any()):
                exact = others[0].to(own.dtype) if others else own
                return f"{name} {first_difference(wrong, one, exact)}"
            if (
                others
                and rule.is_exact
                and (fact := systematic_error(one, own, others, rule.pointwise))
            ):
                return f"{name} {fact}"
        return ""


def _name_of(number: int, count: int) -> str:
    """Return the name of one of several results."""
    return "the result" if count == 1 else f"result {number}"


def expect(
    compute: Compute,
    arguments: Arguments,
    finite: Sequence[tuple[Arguments, Arguments]] = (),
    *,
    kinks: bool = False,
    at_bounds: bool = False,
    rounded: Arguments | None = None,
    largest: float = 1.0,
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
        largest: the largest number of the call that is much larger than a sample's, times which
            rounding may be.
    """
    floats = floats_of(arguments, arguments)
    own = _in_own_dtypes(compute, arguments, floats)
    if not floats:
        return Expected(own, [], fits=_fitting(compute, arguments, own))
    try:
        others = [
            results_of(compute(with_tensors(arguments, moved))) for moved in _moved(floats, kinks)
        ]
        limits = [] if kinks else has_limit(compute, arguments, own)
        moves = _moved(floats, kinks, _MUCH_LESS)[1:] if at_bounds else []
        nearest = [results_of(compute(with_tensors(arguments, moved))) for moved in moves]
        if rounded:
            others.append(results_of(compute(with_tensors(arguments | rounded, _double(floats)))))
    except (RuntimeError, TypeError, ValueError):  # it does not compute in float64
        others, limits, nearest = [], [], []
    depends = _depending(compute, finite, own)
    jumps = _jumps(compute, arguments, floats, others[0]) if kinks and others else []
    return Expected(
        own, others, nearest, depends, jumps=jumps, has_limit=limits, noise=largest * _noise(floats)
    )


def _depending(
    compute: Compute, finite: Sequence[tuple[Arguments, Arguments]], own: Sequence[Tensor]
) -> list[Tensor]:
    """Return which elements of the results differ in a pair of calls; none if their shapes do, or
    if there is no pair.
    """
    if not finite:
        return []
    depends = [torch.zeros_like(result, dtype=torch.bool) for result in own]
    for pair in finite:
        one, other = (results_of(compute(arguments)) for arguments in pair)
        shapes = [(a.shape, b.shape) for a, b in zip(one, other, strict=True)]
        if shapes != [(result.shape, result.shape) for result in own]:
            return []
        changes = [a != b for a, b in zip(one, other, strict=True)]
        depends = [before | change for before, change in zip(depends, changes, strict=True)]
    return depends


def _jumps(
    compute: Compute, arguments: Arguments, floats: dict[str, Tensor], exact: Sequence[Tensor]
) -> list[Tensor]:
    """Return how far results in 16 bits change if the arguments change by a rounding of float32;
    nothing for other dtypes.
    """
    if all(tensor.dtype.itemsize > 2 for tensor in floats.values()):
        return []
    singles = {name: tensor.float() for name, tensor in floats.items()}
    jumps = [torch.zeros_like(result, dtype=torch.float64) for result in exact]
    for moved in _moved(singles, kinks=True)[1:]:
        results = results_of(compute(with_tensors(arguments, moved)))
        if [result.shape for result in results] != [result.shape for result in exact]:
            return []
        changes = [(a.double() - b.double()).abs() for a, b in zip(results, exact, strict=True)]
        jumps = [torch.maximum(jump, change) for jump, change in zip(jumps, changes, strict=True)]
    return [jump.nan_to_num(0.0, 0.0) for jump in jumps]


def _fitting(compute: Compute, arguments: Arguments, own: Sequence[Tensor]) -> list[Tensor]:
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
    if [result.shape for result in results] != [result.shape for result in own]:
        return []
    return [_holds(one.dtype, result) for one, result in zip(own, results, strict=True)]


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
    largest = 0.0
    for tensor in floats.values():
        eps = min(torch.finfo(tensor.dtype).eps, torch.finfo(torch.float32).eps)
        largest = max(largest, _OF_CONSTANTS * eps * _largest(tensor))
    return largest


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


def _wrong(
    one: Tensor,
    own: Tensor,
    others: Sequence[Tensor],
    nearest: Sequence[Tensor],
    rule: Rule,
    noise: Tensor | float,
) -> Tensor:
    """Return which elements are wrong; ``noise``: how far they may be off beside what rounding
    explains.
    """
    is_sure = _sure(own, others, nearest)
    if not is_floating(one):
        return is_sure & (one != own)
    is_finite = own.isfinite()
    is_alike = _class(one) == _class(own) if rule.pointwise else one.isfinite() == is_finite
    exact = others[0] if others else own.double()
    is_near = (one.double() - exact).abs() <= _allowed(own, others, nearest, rule) + noise
    wrong = is_sure & (~is_alike | (is_finite & ~is_near))
    wrong &= _of_kinds(own, rule.only)
    if rule.overflow:
        wrong &= is_finite & one.isfinite()
    return wrong


def _sure(own: Tensor, others: Sequence[Tensor], nearest: Sequence[Tensor]) -> Tensor:
    """Return which results of the reference rounding does not decide: integers, or whether a number
    is finite.
    """
    sure = torch.ones_like(own, dtype=torch.bool)
    for place, other in enumerate(others):
        is_same = _are_alike(own, other)
        if 0 < place <= len(nearest):
            is_same |= _is_bound(own) & ~_are_alike(others[0], nearest[place - 1])
        sure &= is_same
    return sure


def _is_bound(own: Tensor) -> Tensor:
    """Return where results may jump at a bound: where they are infinite, they may be at a pole."""
    return own.isfinite() if is_floating(own) else torch.ones_like(own, dtype=torch.bool)


def _are_alike(own: Tensor, other: Tensor) -> Tensor:
    """Return which results are the same integer, or finite, or the same infinity, or NaN."""
    return _class(own) == _class(other.to(own.dtype)) if is_floating(own) else own == other


def _jump(own: Tensor, exact: Tensor, nearest: Tensor) -> Tensor:
    """Return how far results jump from a bound that arguments are equal to, where the reference's
    own are at the bound.
    """
    jump = (nearest - exact).abs().nan_to_num(0.0, 0.0)
    is_at_bound = (own.double() - exact).abs() <= _OF_JUMP * jump
    return torch.where(is_at_bound, jump, 0.0)


def _allowed(
    own: Tensor, others: Sequence[Tensor], nearest: Sequence[Tensor], rule: Rule
) -> Tensor:
    """Return the errors that rounding explains."""
    exact = others[0] if others else own.double()
    relative, absolute = (rule.errors or _errors)(own.dtype)
    if own.dtype != torch.float64:
        relative += 2 * rule.terms**0.5 * torch.finfo(torch.float32).eps
    is_half = own.dtype.itemsize == 2 and rule.errors is None
    of_inputs = _OF_HALVES if is_half else _OF_INPUTS
    allowed = relative * exact.abs() + absolute
    allowed = allowed + _OF_OWN_ROUNDING * (own.double() - exact).abs()
    for place, other in enumerate(others[1:]):
        changes = (other - exact).abs()
        if place < len(nearest):
            changes = changes - _jump(own, exact, nearest[place])
        allowed = allowed + of_inputs * changes.clamp(min=0.0)
    if rule.drifts:
        of_sums = 2 * rule.terms**0.5 * torch.finfo(torch.float32).eps
        allowed = allowed + of_sums * _largest(exact)
    if rule.overflow and not rule.pointwise:  # terms of a sum, as large as other results
        allowed = allowed + _OF_OWN_ROUNDING * torch.finfo(own.dtype).eps * _largest(exact)
    if rule.rounds_steps and own.dtype.itemsize == 2:
        allowed = allowed + _OF_OWN_ROUNDING * torch.finfo(own.dtype).eps * _largest(exact)
    return allowed


def _largest(numbers: Tensor) -> float:
    """Return the largest absolute value of the finite numbers."""
    finite = numbers.detach().double().abs()
    finite = finite[finite.isfinite()]
    return float(finite.max()) if finite.numel() else 0.0


def _of_kinds(own: Tensor, kinds: Sequence[Kind]) -> Tensor:
    """Return which results are of these kinds."""
    is_of = torch.zeros_like(own, dtype=torch.bool)
    tests = {"finite": torch.isfinite, "infinite": torch.isinf, "NaN": torch.isnan}
    for kind in kinds:
        is_of |= tests[kind](own)
    return is_of


def _class(tensor: Tensor) -> Tensor:
    """Return what a number is: finite, an infinity, or NaN."""
    kinds = tensor.isnan().to(torch.int8) * 3
    return kinds + tensor.isposinf().to(torch.int8) + tensor.isneginf().to(torch.int8) * 2


def _errors(dtype: torch.dtype) -> tuple[float, float]:
    return _RELATIVE.get(dtype, 0.0), _ABSOLUTE.get(dtype, 0.0)


def _kind(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{[*tensor.shape]}"
