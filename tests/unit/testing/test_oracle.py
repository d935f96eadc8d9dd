"""What the reference says of a call, and which results agree with it."""

from __future__ import annotations

import torch

from onnxop_runtime.testing.arguments import Arguments
from onnxop_runtime.testing.draws.oracle import Rule, expect

X = torch.tensor([[0.25, 0.5, 2.0, -1.0]])


def gradient_of_limited(arguments: Arguments) -> torch.Tensor:
    """Return the gradient of limited numbers and of their highest one, of which equal numbers have a part each."""
    leaf = arguments["x"].detach().requires_grad_()
    limited = leaf.clamp(max=0.5)
    (gradient,) = torch.autograd.grad(limited.sum() + 8 * limited.amax(), [leaf])
    return gradient


def test_a_gradient_at_a_bound_may_be_of_either_side() -> None:
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x = X.to(dtype)
        expected = expect(gradient_of_limited, {"x": x}, kinks=True)
        for at_bound in (0.0, 1.0, 5.0):
            result = torch.tensor([[1.0, at_bound, 0.0, 1.0]], dtype=dtype)
            assert expected.difference([result], Rule()) == "", (dtype, at_bound)
        elsewhere = torch.tensor([[1.5, 1.0, 0.0, 1.0]], dtype=dtype)
        assert "the result is 1.5 at [0, 0]" in expected.difference([elsewhere], Rule())
