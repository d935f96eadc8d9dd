"""Gradients of a drawn call, and what of the reference's means something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ...arguments import Arguments, floating, split, with_tensors


def gradients_of(
    call: Callable[[Arguments], Any], arguments: Arguments, names: Sequence[str]
) -> tuple[Tensor, ...]:
    """Return the gradients of a weighted sum of the results, by weights that every dtype has."""
    leaves = {name: tensor for name, tensor in split(arguments)[0].items() if name in names}
    leaves = {name: tensor.detach().requires_grad_() for name, tensor in leaves.items()}
    results = [r for r in floating(call(with_tensors(arguments, leaves))) if r.requires_grad]
    if not (results and leaves):
        return tuple(torch.zeros_like(leaf) for leaf in leaves.values())
    weights = [
        ((torch.arange(r.numel(), dtype=torch.float32) % 7 - 2.5) / 4).to(r.dtype).reshape(r.shape)
        for r in results
    ]
    return tuple(torch.autograd.grad(results, [*leaves.values()], weights, materialize_grads=True))


def some_of(names: Sequence[str], seed: int) -> Sequence[str]:
    """Return all names, or one alone."""
    chosen = seed % (len(names) + 1)
    return [names[chosen - 1]] if chosen else names


def without_meaningless(
    actual: Sequence[Tensor], reference: Sequence[Tensor], is_nan: Sequence[Tensor]
) -> list[Tensor]:
    """Return gradients with the reference's where these mean nothing: finite ones at inputs that
    are NaN, which a comparison with NaN chose, and zeros in place of NaN, as zero times NaN or
    infinity is.
    """
    replaced = []
    for one, expected, at_nan in zip(actual, reference, is_nan, strict=True):
        is_chosen = at_nan & expected.isfinite()
        is_masked = one.isnan() & (expected == 0)
        replaced.append(torch.where(is_chosen | is_masked, expected, one))
    return replaced


def without_bounds(
    actual: Sequence[Tensor], reference: Sequence[Tensor], is_bound: Sequence[Tensor]
) -> list[Tensor]:
    """Return gradients with the reference's at inputs that are equal to a bound, where a formula
    may take either side's, or a part of both.
    """
    triples = zip(actual, reference, is_bound, strict=True)
    return [torch.where(at_bound, expected, one) for one, expected, at_bound in triples]
