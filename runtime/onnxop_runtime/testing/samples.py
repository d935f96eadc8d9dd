"""The calls that tests make: `Sample`, `Error`, and the functions that draw their arguments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

_LONGEST = 200
"""The largest length of a sample's name, which is part of test names."""
GENERATOR = torch.Generator().manual_seed(0)
"""The generator of all draws."""


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[torch.Generator]:
    """Draw tensors from a seed of their own."""
    before = GENERATOR.get_state()
    GENERATOR.manual_seed(seed)
    try:
        yield GENERATOR
    finally:
        GENERATOR.set_state(before)


@dataclass(frozen=True)
class Draw:
    """An argument of a sample."""

    value: Callable[[Any], Any]
    """Makes the argument with the sizes ``shape`` or ``larger``."""
    text: str
    """The argument in test names."""
    shape: Any = ()
    """The sizes of the tensor, or of each tensor of a list."""
    larger: Any = ()
    """The sizes in a second call of the same model, others in dynamic dimensions."""
    items: Sequence[Draw] | None = None
    """The draws of a list's tensors."""
    sizes: Sequence[str] = ()
    """The sizes as the spec has them, ``("n", "2*n + 1", "3")``; empty if none has a name."""
    is_random: bool = False
    """Whether it is a tensor of random numbers."""
    is_bounded: bool = False
    """Whether the spec bounds the random numbers."""

    @property
    def tensors(self) -> Sequence[Draw]:
        """The draws of a list's tensors, or the draw itself."""
        return [self] if self.items is None else self.items

    @property
    def has_random(self) -> bool:
        """Whether a tensor of it has random numbers."""
        return any(item.is_random for item in self.tensors)


class Sample:
    """A call of the operator, with arguments drawn by name; others take their defaults."""

    def __init__(self, /, **draws: Draw) -> None:
        self.draws = draws

    def __str__(self) -> str:
        text = ", ".join(f"{name} {draw.text}" for name, draw in self.draws.items())
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."

    def arguments(self, *, larger: bool = False) -> dict[str, Any]:
        """Draw the arguments; with ``larger``, dynamic dimensions have other sizes."""
        return {
            name: draw.value(draw.larger if larger else draw.shape)
            for name, draw in self.draws.items()
        }

    def tensor_draws(self) -> dict[str, Draw]:
        """Return the draws of single tensors and of lists' items, by the names that `split` gives
        them. Draws of other arguments are among them.
        """
        return {
            name if draw.items is None else f"{name}_{index}": item
            for name, draw in self.draws.items()
            for index, item in enumerate(draw.tensors)
        }

    def axes(self) -> dict[str, dict[int, str]]:
        """Return the dynamic dimensions of each tensor with names: ``{"x": {0: "x_0"}}``."""
        axes = {
            name: {
                dimension: f"{name}_{dimension}"
                for dimension, size in enumerate(draw.shape)
                if size != draw.larger[dimension]
            }
            for name, draw in self.tensor_draws().items()
        }
        return {name: dimensions for name, dimensions in axes.items() if dimensions}

    @property
    def can_grow(self) -> bool:
        """Whether the sample has dynamic dimensions."""
        return bool(self.axes())


class Widened(Sample):
    """A sample that draws tensors which the spec gives by values, so that a kernel may
    refuse them.
    """


class Error(Sample):
    """A call that must raise; ``match`` is a regular expression for the text, "" for any text."""

    def __init__(self, raises: type[Exception], match: str = "", /, **draws: Draw) -> None:
        super().__init__(**draws)
        self.raises, self.match = raises, match

    def __str__(self) -> str:
        return f"{super().__str__()}: {self.raises.__name__}".removeprefix(": ")


def random(
    dtype: str,
    *shape: int,
    larger: tuple[int, ...] | None = None,
    sizes: str = "",
    low: float | None = None,
    high: float | None = None,
) -> Draw:
    """Draw a tensor: normal (integers: -9 to 9), or uniform between ``low`` and ``high``.

    Args:
        dtype: the name in PyTorch: ``"float32"``.
        shape: the sizes.
        larger: the sizes in a second call of the same model; dimensions that differ are dynamic.
        sizes: the sizes as the spec has them, ``"n, 2*n + 1, 3"``, so that tests can draw others.
        low: the smallest value.
        high: the largest value.
    """
    torch_dtype: torch.dtype = getattr(torch, dtype)
    text = f"{dtype}[{', '.join(map(str, shape))}]"

    def value(sizes: tuple[int, ...]) -> Tensor:
        if not (torch_dtype.is_floating_point or torch_dtype.is_complex):
            least = 0 if torch_dtype in (torch.bool, torch.uint8) else -9
            most = 1 if torch_dtype == torch.bool else 9
            first, last = _bounds(low, high, least, most, 0)
            values = torch.randint(int(first), int(last) + 1, sizes, generator=GENERATOR)
        elif low is None and high is None:
            values = torch.randn(sizes, generator=GENERATOR, dtype=torch.float64)
        else:
            first, last = _bounds(low, high, -1.0, 1.0, 1.0)
            values = torch.rand(sizes, generator=GENERATOR, dtype=torch.float64)
            values = first + (last - first) * values
        return values.to(torch_dtype)

    return Draw(
        value,
        text,
        shape,
        shape if larger is None else larger,
        sizes=[size.strip() for size in sizes.split(",")] if sizes else (),
        is_random=True,
        is_bounded=(low, high) != (None, None),
    )


def _bounds(
    low: float | None, high: float | None, least: float, most: float, width: float
) -> tuple[float, float]:
    """Return the bounds of values, with defaults for missing ones."""
    if low is None:
        low = least if high is None else min(least, high - width)
    return low, max(most, low + width) if high is None else high


def tensor(values: Any, dtype: str = "") -> Draw:
    """Return a tensor with these values, of a given dtype or their own."""

    def value(_: Any = ()) -> Tensor:
        return torch.tensor(values, dtype=getattr(torch, dtype) if dtype else None)

    return Draw(value, f"{dtype} {values}".strip())


def like(values: Tensor, value: Callable[[tuple[int, ...]], Tensor]) -> Draw:
    """Return a draw in place of a tensor with these values, which ``value`` makes for other sizes,
    too.
    """
    shape = tuple(values.shape)
    dtype = str(values.dtype).removeprefix("torch.")
    return Draw(value, f"{dtype}[{', '.join(map(str, shape))}]", shape, shape, is_random=True)


def fixed(value: Any) -> Draw:
    """Return a value that is not a tensor."""
    return Draw(lambda _: value, str(value).removeprefix("torch.") or "''")


def many(*draws: Draw) -> Draw:
    """Return a list of drawn tensors."""
    return Draw(
        lambda sizes: [draw.value(shape) for draw, shape in zip(draws, sizes, strict=True)],
        f"[{', '.join(draw.text for draw in draws)}]",
        tuple(draw.shape for draw in draws),
        tuple(draw.larger for draw in draws),
        draws,
    )
