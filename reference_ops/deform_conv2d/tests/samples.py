"""What the tests feed to deform_conv2d::deform_conv2d: the [[samples]] and [[errors]] of op.toml."""

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
        "input float32[1, 3, 10, 10], weight float32[3, 3, 3, 3], offset float32[1, 18, 8, 8], mask float32[1, 1], bias float32[3], stride_h 1, stride_w 1, pad_h 0, pad_w 0, dilation_h 1, dilation_w 1, grou...",
        {
            "input": random(torch.float32, 1, 3, 10, 10, larger=(2, 3, 11, 11)),
            "weight": random(torch.float32, 3, 3, 3, 3),
            "offset": random(torch.float32, 1, 18, 8, 8, larger=(2, 18, 9, 9)),
            "mask": random(torch.float32, 1, 1, larger=(2, 1)),
            "bias": random(torch.float32, 3),
            "stride_h": fixed(1),
            "stride_w": fixed(1),
            "pad_h": fixed(0),
            "pad_w": fixed(0),
            "dilation_h": fixed(1),
            "dilation_w": fixed(1),
            "groups": fixed(1),
            "offset_groups": fixed(1),
            "use_mask": fixed(False),
        },
    ),
    Sample(
        "input float32[2, 4, 9, 11], weight float32[6, 2, 3, 2], offset float32[2, 24, 5, 4], mask float32[2, 12, 5, 4], bias float32[6], stride_h 2, stride_w 3, pad_h 2, pad_w 1, dilation_h 2, dilation_w 3...",
        {
            "input": random(torch.float32, 2, 4, 9, 11, larger=(3, 4, 10, 12)),
            "weight": random(torch.float32, 6, 2, 3, 2),
            "offset": random(torch.float32, 2, 24, 5, 4, larger=(3, 24, 5, 4)),
            "mask": random(torch.float32, 2, 12, 5, 4, larger=(3, 12, 5, 4)),
            "bias": random(torch.float32, 6),
            "stride_h": fixed(2),
            "stride_w": fixed(3),
            "pad_h": fixed(2),
            "pad_w": fixed(1),
            "dilation_h": fixed(2),
            "dilation_w": fixed(3),
            "groups": fixed(2),
            "offset_groups": fixed(2),
            "use_mask": fixed(True),
        },
    ),
    Sample(
        "input float32[2, 2, 6, 7], weight float32[3, 2, 1, 1], offset float32[2, 2, 6, 7], mask float32[2, 1, 6, 7], bias float32[3], stride_h 1, stride_w 1, pad_h 0, pad_w 0, dilation_h 1, dilation_w 1, g...",
        {
            "input": random(torch.float32, 2, 2, 6, 7, larger=(3, 2, 7, 8)),
            "weight": random(torch.float32, 3, 2, 1, 1),
            "offset": random(torch.float32, 2, 2, 6, 7, larger=(3, 2, 7, 8)),
            "mask": random(torch.float32, 2, 1, 6, 7, larger=(3, 1, 7, 8)),
            "bias": tensor([0.0, 0.0, 0.0]),
            "stride_h": fixed(1),
            "stride_w": fixed(1),
            "pad_h": fixed(0),
            "pad_w": fixed(0),
            "dilation_h": fixed(1),
            "dilation_w": fixed(1),
            "groups": fixed(1),
            "offset_groups": fixed(1),
            "use_mask": fixed(True),
        },
    ),
]

REFUSALS: list[Refusal] = [
    Refusal(
        "input float32[1, 3, 10, 10], weight float32[3, 3, 3, 3], offset float32[1, 18, 8, 7], mask float32[1, 1], bias float32[3], stride_h 1, stride_w 1, pad_h 0, pad_w 0, dilation_h 1, dilation_w 1, grou...: RuntimeError",
        {
            "input": random(torch.float32, 1, 3, 10, 10),
            "weight": random(torch.float32, 3, 3, 3, 3),
            "offset": random(torch.float32, 1, 18, 8, 7),
            "mask": random(torch.float32, 1, 1),
            "bias": random(torch.float32, 3),
            "stride_h": fixed(1),
            "stride_w": fixed(1),
            "pad_h": fixed(0),
            "pad_w": fixed(0),
            "dilation_h": fixed(1),
            "dilation_w": fixed(1),
            "groups": fixed(1),
            "offset_groups": fixed(1),
            "use_mask": fixed(False),
        },
        RuntimeError,
        "offset must have the shape",
    ),
    Refusal(
        "input float32[1, 3, 10, 10], weight float32[3, 3, 3, 3], offset float32[1, 18, 10, 10], mask float32[1, 1], bias float32[3], stride_h 0, stride_w 1, pad_h 0, pad_w 0, dilation_h 1, dilation_w 1, gr...: RuntimeError",
        {
            "input": random(torch.float32, 1, 3, 10, 10),
            "weight": random(torch.float32, 3, 3, 3, 3),
            "offset": random(torch.float32, 1, 18, 10, 10),
            "mask": random(torch.float32, 1, 1),
            "bias": random(torch.float32, 3),
            "stride_h": fixed(0),
            "stride_w": fixed(1),
            "pad_h": fixed(0),
            "pad_w": fixed(0),
            "dilation_h": fixed(1),
            "dilation_w": fixed(1),
            "groups": fixed(1),
            "offset_groups": fixed(1),
            "use_mask": fixed(False),
        },
        RuntimeError,
        "stride_h must be at least 1",
    ),
]
