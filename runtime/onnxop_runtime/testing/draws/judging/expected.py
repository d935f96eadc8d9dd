"""A result that a call must have, and which results agree with it: as closely as rounding
explains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from ...arguments import is_floating
from .rounding import first_difference, systematic_error

Kind = Literal["finite", "infinite", "NaN"]

_RELATIVE = {
    torch.float64: 1e-9,
    torch.float32: 1e-5,
    torch.float16: 4e-3,
    torch.bfloat16: 3e-2,
}
_ABSOLUTE = {torch.float64: 1e-11, torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 1e-2}
_TIMES_OWN_ROUNDING = 4
_TIMES_INPUT_ROUNDING = 32
_TIMES_HALF_ROUNDING = 3
"""How much larger than roundings an error may be: of the reference, of the inputs, and of those of
16 bits, with which kernels compute in float32.
"""
_PART_OF_JUMP = 0.01
"""The part of a jump by which the reference's own rounding may be off."""


@dataclass(frozen=True)
class Rule:
    """What must agree with the reference, and how closely. Where the reference's results are not of
    one kind, as finite numbers or infinities, rounding decides, and no rule applies.
    """

    errors: Callable[[torch.dtype], tuple[float, float]] | None = None
    """Relative and absolute errors by dtype, in place of those between computations in PyTorch."""
    pointwise: bool = False
    """Whether infinities of both signs and NaN are told apart. In sums, their order may decide."""
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
class ExpectedResult:
    """One result of the reference, computed in several ways."""

    computed: Tensor
    """In the call's dtypes."""
    in_float64: Tensor | None = None
    """Before it is rounded; None if the reference does not compute it so."""
    moved: Sequence[Tensor] = ()
    """In float64, of arguments that differ by a rounding."""
    moved_less: Sequence[Tensor] = ()
    """In float64, of arguments that differ by much less than a rounding; empty if no argument is
    equal to a bound.
    """
    depends: Tensor | None = None
    """Which elements depend on NaN and infinities in the arguments; None if there are none."""
    fits: Tensor | None = None
    """Which integers do not overflow; None if all fit."""
    jump: Tensor | None = None
    """How far a result in 16 bits changes with the smallest change of the arguments, as gradients
    do at a bound; None if that is not computed.
    """
    has_limit: Tensor | None = None
    """Which NaNs are something else in the limit of large numbers; None if there are no infinities.
    """
    noise: float = 0.0
    """The rounding of the largest argument, to which constants of the computation, as positions,
    add up.
    """

    @property
    def exact(self) -> Tensor:
        """The result that is nearest to the true one."""
        return self.computed.double() if self.in_float64 is None else self.in_float64

    def difference(
        self, actual: Tensor, rule: Rule, name: str, excused: Tensor | None = None
    ) -> str:
        """Return the first difference of a result as a sentence, or ""; see Expected.difference."""
        computed = self.computed
        others = (self.exact, *self.moved, *self.moved_less)
        if any(other.shape != computed.shape for other in others):
            return ""  # the sizes depend on values that rounding changes
        if (actual.dtype, actual.shape) != (computed.dtype, computed.shape):
            expected = _dtype_and_shape(computed)
            return f"{name} is {_dtype_and_shape(actual)}, but the reference has {expected}"
        is_wrong = self._is_wrong(actual, rule)
        if excused is not None:
            is_wrong &= ~excused
        if bool(is_wrong.any()):
            exact = computed if self.in_float64 is None else self.in_float64.to(computed.dtype)
            fact = first_difference(is_wrong, actual, exact)
            return f"{name} {fact}{self._allowed_there(is_wrong, rule)}"
        if self.in_float64 is None or not rule.is_exact:
            return ""
        fact = systematic_error(actual, computed, [self.in_float64, *self.moved], rule.pointwise)
        return f"{name} {fact}" if fact else ""

    def loses_infinity(self, actual: Tensor) -> Tensor:
        """Return where the reference surely has an infinity, and a result has not."""
        return self._is_sure() & self.computed.isinf() & (actual != self.computed)

    def _is_wrong(self, actual: Tensor, rule: Rule) -> Tensor:
        """Return which elements are wrong."""
        is_wrong = self._is_sure() & ~self._agrees(actual, rule)
        if self.depends is not None and self.depends.shape == is_wrong.shape:
            is_wrong &= self.depends | self.computed.isfinite()
        if self.has_limit is not None:
            is_wrong &= ~self.has_limit
        if self.fits is not None:
            is_wrong &= self.fits
        return is_wrong

    def _agrees(self, actual: Tensor, rule: Rule) -> Tensor:
        """Return which elements are as the rule wants them."""
        computed = self.computed
        if not is_floating(actual):
            return actual == computed
        is_finite = computed.isfinite()
        if rule.pointwise:
            is_alike = _class(actual) == _class(computed)
        else:
            is_alike = actual.isfinite() == is_finite
        is_near = (actual.double() - self.exact).abs() <= self._allowed(rule)
        agrees = is_alike & (~is_finite | is_near) | ~_are_of_kinds(computed, rule.only)
        if rule.overflow:
            agrees |= ~(is_finite & actual.isfinite())
        return agrees

    def _is_sure(self) -> Tensor:
        """Return which elements rounding does not decide: integers, or whether a number is
        finite.
        """
        sure = torch.ones_like(self.computed, dtype=torch.bool)
        if self.in_float64 is None:
            return sure
        sure &= _are_alike(self.computed, self.in_float64)
        for place, moved in enumerate(self.moved):
            is_same = _are_alike(self.computed, moved)
            if place < len(self.moved_less):
                jumps = ~_are_alike(self.in_float64, self.moved_less[place])
                is_same |= _may_be_bound(self.computed) & jumps
            sure &= is_same
        return sure

    def _allowed(self, rule: Rule) -> Tensor:
        """Return the errors that rounding explains."""
        dtype, exact = self.computed.dtype, self.exact
        relative, absolute = (rule.errors or _errors)(dtype)
        sum_error = 2 * rule.terms**0.5 * torch.finfo(torch.float32).eps
        if dtype != torch.float64:
            relative += sum_error
        allowed = relative * exact.abs() + absolute + self.noise
        allowed = allowed + _TIMES_OWN_ROUNDING * (self.computed.double() - exact).abs()
        allowed = allowed + self._input_errors(rule)
        if self.jump is not None:
            allowed = allowed + _TIMES_INPUT_ROUNDING * self.jump
        if rule.drifts:
            allowed = allowed + sum_error * largest(exact)
        term_error = _TIMES_OWN_ROUNDING * torch.finfo(dtype).eps * largest(exact)
        if rule.overflow and not rule.pointwise:  # terms of a sum, as large as other results
            allowed = allowed + term_error
        if rule.rounds_steps and dtype.itemsize == 2:
            allowed = allowed + term_error
        return allowed

    def _allowed_there(self, is_wrong: Tensor, rule: Rule) -> str:
        """Return the error that was allowed at the first wrong element, as the end of a sentence;
        "" for integers, and for infinities and NaN, which are compared as such.
        """
        if not is_floating(self.computed):
            return ""
        first = is_wrong.flatten().to(torch.uint8).argmax()
        if not self.exact.flatten()[first].isfinite():
            return ""
        allowed = self._allowed(rule).flatten()[first].item()
        return f"; errors up to {allowed:.1e} are allowed there"

    def _input_errors(self, rule: Rule) -> Tensor:
        """Return the errors that roundings of the arguments explain."""
        is_half = self.computed.dtype.itemsize == 2 and rule.errors is None
        times = _TIMES_HALF_ROUNDING if is_half else _TIMES_INPUT_ROUNDING
        errors = torch.zeros_like(self.exact)
        for place, moved in enumerate(self.moved):
            changes = (moved - self.exact).abs()
            if place < len(self.moved_less):
                changes = changes - self._jump_from_bound(self.moved_less[place])
            errors = errors + times * changes.clamp(min=0.0)
        return errors

    def _jump_from_bound(self, moved_less: Tensor) -> Tensor:
        """Return how far elements jump from a bound that arguments are equal to, where the
        reference's own are at the bound.
        """
        jump = (moved_less - self.exact).abs().nan_to_num(0.0, 0.0)
        is_at_bound = (self.computed.double() - self.exact).abs() <= _PART_OF_JUMP * jump
        return torch.where(is_at_bound, jump, 0.0)


@dataclass(frozen=True)
class Expected:
    """The results of the reference."""

    results: Sequence[ExpectedResult]

    @property
    def computed(self) -> list[Tensor]:
        """The results in the call's dtypes."""
        return [result.computed for result in self.results]

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
        count = len(actual)
        if count != len(self.results):
            return f"there are {count} results, but the reference has {len(self.results)}"
        for place, (result, one) in enumerate(zip(self.results, actual, strict=True)):
            name = names[place] if names else name_of_result(place, count)
            difference = result.difference(one, rule, name, excused[place] if excused else None)
            if difference:
                return difference
        return ""


def name_of_result(number: int, count: int) -> str:
    """Return the name of one of several results."""
    return "the result" if count == 1 else f"result {number}"


def _dtype_and_shape(tensor: Tensor) -> str:
    """Return a tensor's dtype and shape."""
    return f"{str(tensor.dtype).removeprefix('torch.')}{[*tensor.shape]}"


def _may_be_bound(computed: Tensor) -> Tensor:
    """Return where results may jump at a bound: where they are infinite, they may be at a pole."""
    if is_floating(computed):
        return computed.isfinite()
    return torch.ones_like(computed, dtype=torch.bool)


def _are_alike(computed: Tensor, other: Tensor) -> Tensor:
    """Return which results are the same integer, or finite, or the same infinity, or NaN."""
    if is_floating(computed):
        return _class(computed) == _class(other.to(computed.dtype))
    return computed == other


def largest(numbers: Tensor) -> float:
    """Return the largest absolute value of the finite numbers; 0 if there are none."""
    finite = numbers.detach().double().abs()
    finite = finite[finite.isfinite()]
    return float(finite.max()) if finite.numel() else 0.0


def _are_of_kinds(computed: Tensor, kinds: Sequence[Kind]) -> Tensor:
    """Return which results are of these kinds."""
    tests = {"finite": torch.isfinite, "infinite": torch.isinf, "NaN": torch.isnan}
    is_of = torch.zeros_like(computed, dtype=torch.bool)
    for kind in kinds:
        is_of |= tests[kind](computed)
    return is_of


def _class(tensor: Tensor) -> Tensor:
    """Return what a number is: finite, an infinity, or NaN."""
    classes = tensor.isnan().to(torch.int8) * 3
    return classes + tensor.isposinf().to(torch.int8) + tensor.isneginf().to(torch.int8) * 2


def _errors(dtype: torch.dtype) -> tuple[float, float]:
    return _RELATIVE.get(dtype, 0.0), _ABSOLUTE.get(dtype, 0.0)
