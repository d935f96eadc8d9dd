"""Inputs of two sizes, and of other values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Arguments = tuple[Any, ...]


def sets(make: Callable[[int], Any], first: int, second: int) -> list[Arguments]:
    """Return what ``make`` returns for the first size, again with other values, and for the second
    size.
    """
    return [_arguments(make(size)) for size in (first, first, second)]


def images(first: int, second: int, channels: int = 3) -> list[Arguments]:
    """Return batches of one square image with values from 0 to 1."""
    return sets(lambda size: torch.rand(1, channels, size, size), first, second)


def tokens(first: int, second: int, count: int = 99) -> list[Arguments]:
    """Return batches of one sequence of integers below ``count``."""
    return sets(lambda size: torch.randint(1, count, (1, size)), first, second)


def signals(first: int, second: int, *shape: int) -> list[Arguments]:
    """Return normally distributed numbers of this shape, and a last dimension of each size."""
    return sets(lambda size: torch.randn(*shape, size), first, second)


def sequences(first: int, second: int, features: int) -> list[Arguments]:
    """Return batches of one sequence of normally distributed features."""
    return sets(lambda size: torch.randn(1, size, features), first, second)


def spread(
    net: torch.nn.Module, inputs: list[Arguments]
) -> tuple[torch.nn.Module, list[Arguments]]:
    """Return both, with the weights of each layer scaled so that its results for the first inputs
    have a deviation of 1. Scores of a detector with random weights are else nearly equal, and
    rounding decides which it keeps.
    """

    def scale(layer: torch.nn.Module, _inputs: Arguments, result: torch.Tensor) -> torch.Tensor:
        deviation = float(result.std()) or 1.0
        for weight in layer.parameters():
            weight.div_(deviation)
        return result / deviation

    layers = (torch.nn.Conv2d, torch.nn.Linear)
    hooks = [m.register_forward_hook(scale) for m in net.modules() if isinstance(m, layers)]
    with torch.no_grad():
        net(*inputs[0])
    for hook in hooks:
        hook.remove()
    return net, inputs


def _arguments(made: Any) -> Arguments:
    return made if isinstance(made, tuple) else (made,)
