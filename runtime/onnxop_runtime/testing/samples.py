"""What tests feed an operator: `Sample`, `Error`, and what draws their tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

_LONGEST = 200
"""Characters of a name of a sample, which is part of the names of tests."""
_generator = torch.Generator().manual_seed(0)


@dataclass(frozen=True)
class Draw:
    """An argument of a sample.

    Attributes:
        value: makes it, of sizes which are ``shape`` or ``larger``.
        text: the argument in words.
        shape: its sizes; of a list of tensors, theirs.
        larger: its sizes in a second call of the same model, where dynamic dimensions differ.
        items: what draws the tensors of a list.
    """

    value: Callable[[Any], Any]
    text: str
    shape: Any = ()
    larger: Any = ()
    items: Sequence[Draw] | None = None


class Sample:
    """A call of the operator.

    Args:
        draws: what draws each argument, by name; those that are missing take their defaults.
    """

    def __init__(self, /, **draws: Draw) -> None:
        self.draws = draws

    def __str__(self) -> str:
        text = ", ".join(f"{name} {draw.text}" for name, draw in self.draws.items())
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."

    def arguments(self, *, larger: bool = False) -> dict[str, Any]:
        """Draw the arguments; those of the larger call have other sizes where axes are dynamic."""
        return {
            name: draw.value(draw.larger if larger else draw.shape)
            for name, draw in self.draws.items()
        }

    def axes(self) -> dict[str, dict[int, str]]:
        """Return the dynamic dimensions of each tensor, and a name for each: ``{"x": {0: "x_0"}}``."""
        draws = {
            name if draw.items is None else f"{name}_{place}": each
            for name, draw in self.draws.items()
            for place, each in enumerate([draw] if draw.items is None else draw.items)
        }
        axes = {
            name: {
                dimension: f"{name}_{dimension}"
                for dimension, size in enumerate(draw.shape)
                if size != draw.larger[dimension]
            }
            for name, draw in draws.items()
        }
        return {name: dimensions for name, dimensions in axes.items() if dimensions}

    @property
    def can_grow(self) -> bool:
        """Whether it has dynamic dimensions."""
        return bool(self.axes())


class Error(Sample):
    """A call that must raise.

    Args:
        raises: the exception.
        match: a regular expression that its text matches; empty where any text will do.
        draws: what draws each argument, by name.
    """

    def __init__(self, raises: type[Exception], match: str = "", /, **draws: Draw) -> None:
        super().__init__(**draws)
        self.raises, self.match = raises, match

    def __str__(self) -> str:
        return f"{super().__str__()}: {self.raises.__name__}".removeprefix(": ")


def random(
    dtype: str,
    *shape: int,
    larger: tuple[int, ...] | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Draw:
    """Draw a tensor: normal (integers: -9 to 9), or uniform between ``low`` and ``high``.

    Args:
        dtype: as PyTorch calls it: ``"float32"``.
        shape: its sizes.
        larger: its sizes in a second call of the same model: those that differ are dynamic.
        low: the smallest value.
        high: the largest value.
    """
    made = dtype_of(dtype)
    text = f"{dtype}[{', '.join(map(str, shape))}]"

    def value(sizes: tuple[int, ...]) -> Tensor:
        if not (made.is_floating_point or made.is_complex):
            least = 0 if made in (torch.bool, torch.uint8) else -9
            most = 1 if made == torch.bool else 9
            first, last = _bounds(low, high, least, most, 0)
            drawn = torch.randint(int(first), int(last) + 1, sizes, generator=_generator)
        elif low is None and high is None:
            drawn = torch.randn(sizes, generator=_generator, dtype=torch.float64)
        else:
            first, last = _bounds(low, high, -1.0, 1.0, 1.0)
            drawn = torch.rand(sizes, generator=_generator, dtype=torch.float64)
            drawn = first + (last - first) * drawn
        return drawn.to(made)

    return Draw(value, text, shape, shape if larger is None else larger)


def _bounds(
    low: float | None, high: float | None, least: float, most: float, width: float
) -> tuple[float, float]:
    """The bounds of what is drawn, where one or both are not given."""
    if low is None:
        low = least if high is None else min(least, high - width)
    return low, max(most, low + width) if high is None else high


def tensor(values: Any, dtype: str = "") -> Draw:
    """Give the tensor of these values, of the dtype that they have unless one is given."""

    def value(_: Any = ()) -> Tensor:
        return torch.tensor(values, dtype=dtype_of(dtype) if dtype else None)

    return Draw(value, f"{dtype} {values}".strip())


def fixed(value: Any) -> Draw:
    """Give a value that is no tensor, as it is."""
    return Draw(lambda _: value, str(value).removeprefix("torch.") or "''")


def many(*draws: Draw) -> Draw:
    """Give a list of what these draw."""
    return Draw(
        lambda sizes: [draw.value(each) for draw, each in zip(draws, sizes, strict=True)],
        f"[{', '.join(draw.text for draw in draws)}]",
        tuple(draw.shape for draw in draws),
        tuple(draw.larger for draw in draws),
        draws,
    )


def dtype_of(name: str) -> torch.dtype:
    """Return ``float32`` as PyTorch has it."""
    found: torch.dtype = getattr(torch, name)
    return found
