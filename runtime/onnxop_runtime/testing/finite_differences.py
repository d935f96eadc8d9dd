"""Derivatives against finite differences, which say nothing at kinks."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.gradcheck import GradcheckError

from .arguments import results_of

_BESIDE = 1e-6
"""The distance to numbers beside inputs, as finite differences have."""
_JUMP = 1e-3
"""The relative change of a gradient on this distance that is a jump."""
_KINK = (
    "The gradient jumps at this sample, as that of abs(x) does at 0, so that finite differences say nothing: give "
    "the sample numbers that are equal to no bound, and to no other number that they are compared with"
)


def compared(check: Any, call: Any, inputs: list[Tensor], **options: Any) -> None:
    """Compare derivatives with finite differences; at a kink, where these mean nothing, say so."""
    try:
        assert check(call, inputs, **options, **_mode(inputs))
    except GradcheckError as error:
        if not has_kink(call, inputs):
            raise
        raise AssertionError(f"{error}\n{_KINK}") from None


def has_kink(call: Any, inputs: list[Tensor]) -> bool:
    """Return whether the gradients jump at the inputs: on both sides of them, they differ by much
    more than numbers that are so close explain.
    """
    generator = torch.Generator().manual_seed(0)
    steps = [torch.rand(t.shape, generator=generator, dtype=torch.float64) - 0.5 for t in inputs]
    sides: list[tuple[Tensor, ...]] = []
    for sign in (_BESIDE, -_BESIDE):
        moved = [
            (tensor.detach() + sign * step).to(tensor.dtype).requires_grad_()
            for tensor, step in zip(inputs, steps, strict=True)
        ]
        sums = [result.sum() for result in results_of(call(*moved)) if result.requires_grad]
        if not sums:
            return False
        sides.append(torch.autograd.grad(sums, moved, materialize_grads=True))
    return any(
        bool(((one - other).abs() > _JUMP * (1 + one.abs())).any())
        for one, other in zip(*sides, strict=True)
    )


def _mode(inputs: list[Tensor]) -> dict[str, Any]:
    """Return gradcheck's options. In random directions, it multiplies the allowed error by their
    sum: by default, gradients that are 0.3 % off pass, and sometimes doubled ones.
    """
    if sum(tensor.numel() for tensor in inputs) <= 100:
        return {}
    return {"fast_mode": True, "atol": 1e-8}
