"""What the tests feed to my_lib::my_add: the [[samples]] and [[errors]] of op.toml."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Draw:
    """What draws an argument: a function of the sizes, which are ``shape`` or ``larger``."""

    value: Callable[[Sizes], Any]
    shape: Sizes = ()
    larger: Sizes = ()


@dataclass(frozen=True)
class Sample:
    """A call of the operator: what draws each argument, by name."""

    name: str
    draws: dict[str, Draw]

    def arguments(self, *, larger: bool = False) -> dict[str, Any]:
        return {
            name: draw.value(draw.larger if larger else draw.shape)
            for name, draw in self.draws.items()
        }

    def axes(self) -> dict[str, dict[int, str]]:
        """The dimensions of each argument that differ in the larger call, and a name for each."""
        axes = {
            name: {
                dimension: f"{name}_{dimension}"
                for dimension, size in enumerate(draw.shape)
                if size != draw.larger[dimension]
            }
            for name, draw in self.draws.items()
        }
        return {name: dimensions for name, dimensions in axes.items() if dimensions}

    @property
    def can_grow(self) -> bool:
        return bool(self.axes())


@dataclass(frozen=True)
class Refusal:
    """A call that must raise an exception whose text matches ``match``."""

    name: str
    draws: dict[str, Draw]
    raises: type[Exception]
    match: str

    def arguments(self) -> dict[str, Any]:
        return {name: draw.value(draw.shape) for name, draw in self.draws.items()}


_generator = torch.Generator().manual_seed(0)


def random(
    dtype: torch.dtype,
    *shape: int,
    larger: Sizes | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Draw:
    """Draws a tensor: normal (integers: -9 to 9), or uniform between ``low`` and ``high``."""

    def value(sizes: Sizes) -> Tensor:
        if not (dtype.is_floating_point or dtype.is_complex):
            first = 0 if dtype in (torch.bool, torch.uint8) else -9
            first = first if low is None else int(low)
            last = (1 if dtype == torch.bool else 9) if high is None else int(high)
            drawn = torch.randint(first, last + 1, sizes, generator=_generator)
        elif low is None and high is None:
            drawn = torch.randn(sizes, generator=_generator, dtype=torch.float64)
        else:
            bottom = -1.0 + min(0.0, high or 0.0) if low is None else low
            top = max(bottom + 1.0, 1.0) if high is None else high
            drawn = torch.rand(sizes, generator=_generator, dtype=torch.float64)
            drawn = bottom + (top - bottom) * drawn
        return drawn.to(dtype)

    return Draw(value, shape, shape if larger is None else larger)


def tensor(values: Any, dtype: torch.dtype | None = None) -> Draw:
    """The tensor of these values."""
    return Draw(lambda _: torch.tensor(values, dtype=dtype))


def fixed(value: Any) -> Draw:
    """A value that is no tensor, as it is."""
    return Draw(lambda _: value)


SAMPLES = [
    Sample(
        "a float32[1, 3, 10, 10], b float32[1, 3, 10, 10]",
        {
            "a": random(torch.float32, 1, 3, 10, 10, larger=(1, 4, 11, 11)),
            "b": random(torch.float32, 1, 3, 10, 10, larger=(1, 4, 11, 11)),
        },
    ),
    Sample(
        "a float64[2, 1, 5], b float64[4, 1]",
        {
            "a": random(torch.float64, 2, 1, 5, larger=(3, 1, 6)),
            "b": random(torch.float64, 4, 1, larger=(5, 1)),
        },
    ),
    Sample(
        "a float16[3, 7], b float16[7]",
        {
            "a": random(torch.float16, 3, 7, larger=(4, 8)),
            "b": random(torch.float16, 7, larger=(8,)),
        },
    ),
]

REFUSALS: list[Refusal] = [
    Refusal(
        "a float32[2], b float32[3]: RuntimeError",
        {"a": random(torch.float32, 2), "b": random(torch.float32, 3)},
        RuntimeError,
        "cannot be broadcast together",
    ),
]
