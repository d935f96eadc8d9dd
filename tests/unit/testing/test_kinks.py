"""Finite differences at kinks, where they say nothing of gradients."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.autograd.gradcheck import GradcheckError

from onnxop_runtime.testing.finite_differences import compared, has_kink


@pytest.mark.parametrize(
    ("call", "numbers", "expected"),
    [
        (torch.abs, [0.0, 1.0], True),
        (torch.abs, [0.5, -1.0], False),
        (lambda x: x.clamp(max=0.5), [0.5], True),
        (lambda x: (1000 * x).exp(), [0.0], False),
        (lambda x: x.argmax().double(), [0.0, 1.0], False),
    ],
)
def test_kinks(call: Any, numbers: list[float], expected: bool) -> None:
    assert has_kink(call, [torch.tensor(numbers, dtype=torch.float64)]) == expected


class Doubled(torch.autograd.Function):
    """The square of a number, with twice its gradient."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        gradient: torch.Tensor = grads[0] * 4 * x
        return gradient


def test_a_failure_at_a_kink_says_so() -> None:
    x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    with pytest.raises(AssertionError, match="The gradient jumps at this sample"):
        compared(torch.autograd.gradcheck, lambda x: x.clamp(max=0.5), [x])
    with pytest.raises(GradcheckError) as error:
        compared(torch.autograd.gradcheck, Doubled.apply, [x])
    assert "jumps" not in str(error.value)
