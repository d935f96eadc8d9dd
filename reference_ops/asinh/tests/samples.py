"""What the tests feed to asinh::asinh: the [[samples]] and [[errors]] of op.toml."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Draw = Callable[[int], Any]


@dataclass(frozen=True)
class Sample:
    """A call of the operator: what draws each argument, by name; other sizes are ``grow`` larger."""

    name: str
    draws: dict[str, Draw]
    can_grow: bool = False

    def arguments(self, grow: int = 0) -> dict[str, Any]:
        return {name: draw(grow) for name, draw in self.draws.items()}


@dataclass(frozen=True)
class Refusal:
    """A call that must raise an exception whose text matches ``match``."""

    name: str
    draws: dict[str, Draw]
    raises: type[Exception]
    match: str

    def arguments(self) -> dict[str, Any]:
        return {name: draw(0) for name, draw in self.draws.items()}


_generator = torch.Generator().manual_seed(0)


def random(
    dtype: torch.dtype, *shape: int, low: float | None = None, high: float | None = None
) -> Draw:
    """Draws a tensor: normal (integers: -9 to 9), or uniform between ``low`` and ``high``.

    Sizes above 1 grow, so that equal sizes stay equal and those that broadcast go on to do so.
    """

    def draw(grow: int) -> Tensor:
        sizes = [size + grow if size > 1 else size for size in shape]
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

    return draw


def literal(value: Any) -> Draw:
    """A scalar as it is; lists as a tensor."""
    return lambda grow: torch.tensor(value) if isinstance(value, list) else value


SAMPLES = [
    Sample(
        "self float32[1, 3, 10, 10]",
        {"self": random(torch.float32, 1, 3, 10, 10)},
        can_grow=True,
    ),
    Sample(
        "self float32[4, 9]",
        {"self": random(torch.float32, 4, 9, low=-1000.0, high=1000.0)},
        can_grow=True,
    ),
    Sample(
        "self float64[2, 5]",
        {"self": random(torch.float64, 2, 5)},
        can_grow=True,
    ),
    Sample(
        "self float16[4, 9]",
        {"self": random(torch.float16, 4, 9)},
        can_grow=True,
    ),
]

REFUSALS: list[Refusal] = []
