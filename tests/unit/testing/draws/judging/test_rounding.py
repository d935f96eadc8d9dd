"""Errors below the tolerance that have one cause."""

from __future__ import annotations

import torch

from onnxop_runtime.testing.draws.judging.rounding import systematic_error

NUMBERS = torch.linspace(1, 100, 200, dtype=torch.float64)


def truncated(numbers: torch.Tensor) -> torch.Tensor:
    """Return numbers in bfloat16, rounded towards zero."""
    bits = numbers.float().view(torch.int32) & ~0xFFFF
    return bits.view(torch.float32).to(torch.bfloat16)


def test_truncation_in_16_bits() -> None:
    exact = NUMBERS.float().double()
    nearest = exact.to(torch.bfloat16)
    assert systematic_error(nearest, nearest, [exact], is_pointwise=True) == ""
    fact = systematic_error(truncated(exact), nearest, [exact], is_pointwise=True)
    assert fact.startswith("is rounded towards zero in ")


def test_subnormal_numbers_taken_for_0() -> None:
    tiny = torch.finfo(torch.float32).tiny
    exact = torch.tensor([tiny / 2, -tiny / 8, 2 * tiny, 1.0], dtype=torch.float64)
    right = exact.float()
    flushed = torch.where(right.abs() < tiny, 0.0, right)
    assert systematic_error(right, right, [exact], is_pointwise=True) == ""
    assert systematic_error(flushed, right, [exact], is_pointwise=False) == ""
    fact = systematic_error(flushed, right, [exact], is_pointwise=True)
    assert "are taken for 0" in fact


def test_a_kernel_that_is_not_exact_near_zero_is_not_told_of() -> None:
    tiny = torch.finfo(torch.float32).tiny
    exact = torch.tensor([tiny / 2, 2 * tiny], dtype=torch.float64)
    assert systematic_error(torch.zeros(2), exact.float(), [exact], is_pointwise=True) == ""
