"""The results that a call must have: those of the reference, in float64, with the errors that rounding explains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .arguments import Arguments, floats_of, is_floating, results_of, with_tensors

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
"""How much larger than roundings an error may be: of the reference, of the inputs, of those of 16 bits, with which
kernels compute in float32, and of constants.
"""


@dataclass(frozen=True)
class Expected:
    """Results of the reference: one computed in the call's dtypes, and several in float64, of the arguments and of
    arguments that differ by a rounding.
    """

    own: Sequence[Tensor]
    others: Sequence[Sequence[Tensor]]
    depends: Sequence[Tensor] = ()
    """Which elements depend on NaN and infinities in the arguments; empty if there are none."""
    noise: float = 0.0
    """The rounding of the largest argument, to which constants of the computation, as positions, add up."""

    def difference(
        self,
        actual: Sequence[Tensor],
        *,
        looser: Callable[[torch.dtype], tuple[float, float]] | None = None,
        pointwise: bool = False,
        finite: bool = False,
        shapes: bool = False,
        overflow: bool = False,
    ) -> str:
        """Return the first difference of results as a sentence, or "".

        Args:
            actual: the results.
            looser: relative and absolute errors by dtype, in place of those between computations in PyTorch.
            pointwise: whether zeros must have the same sign, and NaN and infinities are told apart. In sums,
                their order decides.
            finite: whether only finite numbers must agree.
            shapes: whether only dtypes and shapes must agree.
            overflow: whether a product that overflows in one order, but not in another, may make infinities and
                NaN of finite numbers.
        """
        if len(actual) != len(self.own):
            return f"there are {len(actual)} results, but the reference has {len(self.own)}"
        for place, (one, own) in enumerate(zip(actual, self.own, strict=True)):
            name = "the result" if len(actual) == 1 else f"result {place}"
            others = [other[place] for other in self.others]
            if any(other.shape != own.shape for other in others):
                continue  # the sizes depend on values that rounding changes
            if (one.dtype, one.shape) != (own.dtype, own.shape):
                return f"{name} is {_kind(one)}, but the reference has {_kind(own)}"
            relative, absolute = (looser or _errors)(one.dtype)
            if shapes:
                continue
            absolute += self.noise
            is_loose = looser is not None
            is_wrong = _wrong(one, own, others, relative, absolute, pointwise, finite, is_loose)
            if overflow:
                is_wrong &= own.isfinite() & one.isfinite()
            if self.depends and self.depends[place].shape == is_wrong.shape:
                is_wrong &= self.depends[place]
            if bool(is_wrong.any()):
                return f"{name} {_first(is_wrong, one, others[0] if others else own)}"
        return ""


def expect(
    compute: Compute, arguments: Arguments, finite: Sequence[Arguments] = (), *, kinks: bool = False
) -> Expected:
    """Compute a call by the reference.

    Args:
        compute: the reference.
        arguments: the call's arguments.
        finite: the same arguments, with two finite numbers in place of NaN and infinities.
        kinks: whether rounding moves zeros, too, as gradients may jump there.
    """
    floats = floats_of(arguments, arguments)
    own = _in_own_dtypes(compute, arguments, floats)
    if not floats:
        return Expected(own, [])
    try:
        others = [
            results_of(compute(with_tensors(arguments, moved))) for moved in _moved(floats, kinks)
        ]
    except (RuntimeError, TypeError, ValueError):  # it does not compute in float64
        others = []
    depends: list[Tensor] = []
    if finite:
        one, other = (results_of(compute(each)) for each in finite)
        depends = [a != b for a, b in zip(one, other, strict=True) if a.shape == b.shape]
        depends = depends if len(depends) == len(own) else []
    return Expected(own, others, depends, _noise(floats))


def _in_own_dtypes(
    compute: Compute, arguments: Arguments, floats: dict[str, Tensor]
) -> Sequence[Tensor]:
    """Compute a call in its dtypes; in float64, rounded, if the reference lacks bfloat16 or float16."""
    try:
        return results_of(compute(arguments))
    except RuntimeError:
        dtype = next(iter(floats.values())).dtype if floats else torch.float64
        if dtype.itemsize > 2:
            raise
    double = {name: tensor.double() for name, tensor in floats.items()}
    results = results_of(compute(with_tensors(arguments, double)))
    return [result.to(dtype) if is_floating(result) else result for result in results]


def _noise(floats: dict[str, Tensor]) -> float:
    largest = 0.0
    for tensor in floats.values():
        eps = min(torch.finfo(tensor.dtype).eps, torch.finfo(torch.float32).eps)
        values = tensor.detach().double().abs()
        values = values[values.isfinite()]
        if values.numel():
            largest = max(largest, _OF_CONSTANTS * eps * float(values.max()))
    return largest


def _moved(floats: dict[str, Tensor], kinks: bool) -> list[dict[str, Tensor]]:
    """Return the tensors in float64, as they are and moved by a rounding."""
    double = {name: tensor.double() for name, tensor in floats.items()}
    moves = [double]
    for turn in (0, 1):
        moved = {}
        for place, (name, tensor) in enumerate(double.items()):
            count = torch.arange(tensor.numel(), dtype=torch.float64).reshape(tensor.shape)
            sign = ((count * (3 + place) + turn + count // 2) % 2) * 2 - 1
            step = torch.finfo(floats[name].dtype).eps * sign / 2
            moved[name] = tensor * (1 + step)
            if kinks:
                moved[name] += step * 1e-30
        moves.append(moved)
    return moves


def _wrong(
    one: Tensor,
    own: Tensor,
    others: Sequence[Tensor],
    relative: float,
    absolute: float,
    pointwise: bool,
    finite: bool,
    is_loose: bool,
) -> Tensor:
    """Return which elements are wrong. Where the reference's results are not of one kind, as finite numbers or
    infinities, rounding decides, and none is wrong.
    """
    if not is_floating(one):
        is_sure = torch.ones_like(own, dtype=torch.bool)
        for other in others:
            is_sure &= own == other
        return is_sure & (one != own)
    rounded = [other.to(own.dtype) for other in others]
    is_sure = torch.ones_like(own, dtype=torch.bool)
    for other in rounded:
        is_sure &= _class(own) == _class(other)
    is_finite = own.isfinite()
    is_alike = _class(one) == _class(own) if pointwise else one.isfinite() == is_finite
    exact = others[0] if others else own.double()
    of_inputs = _OF_HALVES if one.dtype.itemsize == 2 and not is_loose else _OF_INPUTS
    allowed = relative * exact.abs() + absolute
    allowed = allowed + _OF_OWN_ROUNDING * (own.double() - exact).abs()
    for other in others[1:]:
        allowed = allowed + of_inputs * (other - exact).abs()
    is_near = (one.double() - exact).abs() <= allowed
    is_wrong = is_sure & (~is_alike | (is_finite & ~is_near))
    if finite:
        is_wrong &= is_finite
    if pointwise:
        is_zero = (own == 0) & (one == 0)
        for other in others:
            is_zero &= (other == 0) & (other.signbit() == own.signbit())
        is_wrong |= is_zero & (one.signbit() != own.signbit())
    return is_wrong


def _class(tensor: Tensor) -> Tensor:
    """Return what a number is: finite, an infinity, or NaN."""
    kinds = tensor.isnan().to(torch.int8) * 3
    return kinds + tensor.isposinf().to(torch.int8) + tensor.isneginf().to(torch.int8) * 2


def _errors(dtype: torch.dtype) -> tuple[float, float]:
    return _RELATIVE.get(dtype, 0.0), _ABSOLUTE.get(dtype, 0.0)


def _kind(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{[*tensor.shape]}"


def _first(is_wrong: Tensor, one: Tensor, other: Tensor) -> str:
    """Describe the first wrong element."""
    place = tuple(int(i) for i in is_wrong.nonzero()[0])
    count = int(is_wrong.sum())
    where = f" at {[*place]}" if place else ""
    more = f" ({count} of {one.numel()} elements differ)" if count > 1 else ""
    return f"is {one[place].item()}{where}, but the reference gives {other[place].item()}{more}"
