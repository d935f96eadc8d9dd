"""Functions of C++'s <cmath> that torch lacks, of tensors: what references are written with."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def tensor(value: Any, like: Tensor) -> Tensor:
    """A number as a tensor that takes part in arithmetic with ``like`` as the number would; a
    tensor as it is.
    """
    if isinstance(value, Tensor):
        return value
    is_number = like.is_floating_point() or like.is_complex()
    dtype = like.dtype if is_number and not isinstance(value, bool) else None
    return torch.full((), value, dtype=dtype, device=like.device)


def cbrt(x: Tensor) -> Tensor:
    """The cube root."""
    return torch.copysign(x.abs().pow(1 / 3), x)


def round(x: Tensor) -> Tensor:
    """The nearest whole number, the one away from zero where two are as near."""
    whole = torch.trunc(x)
    return torch.where((x - whole).abs() >= 0.5, whole + torch.sign(x), whole)


def tgamma(x: Tensor) -> Tensor:
    """The gamma function; NaN at whole numbers below zero."""
    floor = torch.floor(x)
    is_negative = (x < 0) & (torch.fmod(floor, 2) != 0)
    size = torch.exp(torch.lgamma(x))
    signed = torch.where(is_negative | torch.signbit(x) & (x == 0), -size, size)
    return torch.where((x < 0) & (x == floor), float("nan"), signed)


def logb(x: Tensor) -> Tensor:
    """The exponent of 2: x is between 1 and 2 times 2 to its power, or -1 and -2."""
    exponent = (torch.frexp(x).exponent - 1).to(x.dtype)
    exponent = torch.where(x == 0, float("-inf"), exponent)
    return torch.where(torch.isfinite(x), exponent, x.abs())


def remainder(x: Tensor, y: Tensor) -> Tensor:
    """What is left of x by the multiple of y that is nearest, the even one where two are as near."""
    left, size = torch.fmod(x, 2 * y), y.abs()
    found = left.abs()
    beyond = found - size
    beyond = torch.where(2 * beyond >= size, beyond - size, beyond)
    found = torch.where(2 * found > size, beyond, found)
    return torch.where(torch.signbit(left), -found, found)


def fdim(x: Tensor, y: Tensor) -> Tensor:
    """How much x is above y, or 0."""
    return torch.where(x <= y, 0, x - y)


def fma(x: Tensor, y: Tensor, z: Tensor) -> Tensor:
    """``x * y + z``, here rounded twice."""
    return x * y + z


def isnormal(x: Tensor) -> Tensor:
    return torch.isfinite(x) & (x.abs() >= torch.finfo(x.dtype).tiny)


def islessgreater(x: Tensor, y: Tensor) -> Tensor:
    return (x < y) | (x > y)


def isunordered(x: Tensor, y: Tensor) -> Tensor:
    return torch.isnan(x) | torch.isnan(y)
