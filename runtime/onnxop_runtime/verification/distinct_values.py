"""Tensors with equal values → tensors with distinct ones, of which the order is no longer free."""

from __future__ import annotations

import torch
from torch import Tensor


def count_values(tensor: Tensor) -> int:
    """Return the number of distinct values of a tensor."""
    return int(tensor.unique().numel())  # type: ignore[no-untyped-call,unused-ignore]


def distinct(tensor: Tensor) -> Tensor:
    """Return values with the order and signs of the tensor's, and equal ones a step larger than
    each other, in random order: of 1, of floats so small that no value is more than twice as large
    as the largest was.
    """
    flat, count = tensor.flatten(), tensor.numel()
    mixed = torch.randperm(count)
    order = mixed[flat[mixed].abs().argsort()]
    sizes, signs = flat[order].abs(), torch.where(flat[order] < 0, -1, 1)
    largest = float(sizes.nan_to_num(0, 0, 0).max()) or 1.0
    steps = torch.arange(count) * (largest / count if tensor.is_floating_point() else 1)
    larger = signs * ((sizes - steps).cummax(0).values + steps)
    return flat.scatter(0, order, larger.to(tensor)).view(tensor.shape)
