"""Functions of C++'s <cmath> that torch lacks, on tensors, for reference implementations."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def as_tensor_like(value: Any, like: Tensor) -> Tensor:
    """Return a number as a tensor that promotes with ``like`` as the number does; return a tensor
    unchanged.
    """
    if isinstance(value, Tensor):
        return value
    is_inexact = like.is_floating_point() or like.is_complex()
    dtype = like.dtype if is_inexact and not isinstance(value, bool) else None
    return torch.full((), value, dtype=dtype, device=like.device)


def cbrt(x: Tensor) -> Tensor:
    """Return the cube root."""
    return torch.copysign(x.abs().pow(1 / 3), x)


def round(x: Tensor) -> Tensor:
    """Return the nearest integer; halves are rounded away from zero."""
    whole = torch.trunc(x)
    return torch.where((x - whole).abs() >= 0.5, whole + torch.sign(x), whole)


def tgamma(x: Tensor) -> Tensor:
    """Return the gamma function; NaN at negative integers."""
    floor = torch.floor(x)
    is_negative = (x < 0) & (torch.fmod(floor, 2) != 0)
    magnitude = torch.exp(torch.lgamma(x))
    signed = torch.where(is_negative | torch.signbit(x) & (x == 0), -magnitude, magnitude)
    return torch.where((x < 0) & (x == floor), float("nan"), signed)
