"""The sizes of a sample's tensors, as expressions over symbols."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import chain
from types import CodeType, MappingProxyType

import torch

from .samples import Draw, Sample

Sizes = dict[str, int]
Ranks = Mapping[str, tuple[int, ...]]
"""Sizes in place of a symbol's one: none, or several; in place of "", sizes before those of the
first tensor.
"""

_SYMBOL = re.compile(r"[^\W\d]\w*")


class Dimensions:
    """The sizes of a sample's tensors as expressions over symbols, which a draw may change.

    A symbol is a name that the spec gives to a size, or stands for sizes without a name: for equal
    ones, or with ``aligned`` for those that broadcasting aligns.
    """

    def __init__(self, sample: Sample, *, aligned: bool = False) -> None:
        self.values: Sizes = {}
        self.named: set[str] = set()
        self._aligned = aligned
        self._shapes = {
            name: [self._expressions(item) for item in draw.tensors]
            for name, draw in sample.draws.items()
        }

    def _expressions(self, draw: Draw) -> list[str]:
        if not draw.is_random:
            return []
        return [self._expression(draw, dimension) for dimension in range(len(draw.shape))]

    def _expression(self, draw: Draw, dimension: int) -> str:
        """Return the size of a dimension as text: a name, or one that equal sizes share."""
        size = draw.shape[dimension]
        text = draw.sizes[dimension] if draw.sizes else str(size)
        if text.isidentifier():
            self.named.add(text)
        elif size > 1 and text.isdecimal():
            end = len(draw.shape) - dimension
            text = f"_{end}_{size}" if self._aligned else f"_{size}"
        else:
            return text
        self.values[text] = size
        return text

    def shapes(
        self, name: str, changed: Sizes, ranks: Ranks = MappingProxyType({})
    ) -> list[tuple[int, ...]]:
        """Return the shapes of an argument's tensors; raise ValueError if a size would be
        negative.
        """
        sizes = self.values | changed
        shapes = []
        for texts in self._shapes[name]:
            shape = [ranks[t] if t in ranks else (_size(t, sizes),) for t in texts]
            shapes.append(tuple(chain.from_iterable(shape)))
        if shapes and name == next(iter(self._shapes)):
            shapes[0] = (*ranks.get("", ()), *shapes[0])
        if any(size < 0 for shape in shapes for size in shape):
            raise ValueError("a size is negative")
        return shapes

    def symbols(self, name: str) -> list[list[set[str]]]:
        """Return the symbols in each size of an argument's tensors."""
        return [
            [{*_SYMBOL.findall(text)} & self.values.keys() for text in texts]
            for texts in self._shapes[name]
        ]

    def elements(self, changed: Sizes) -> int:
        """Return the number of elements of the largest tensor."""
        shapes = [shape for name in self._shapes for shape in self.shapes(name, changed)]
        return max((torch.Size(shape).numel() for shape in shapes), default=0)


@cache
def _compiled(text: str) -> CodeType:
    return compile(text, "<size>", "eval")


def _size(text: str, sizes: Sizes) -> int:
    """Compute a size; the spec allows nothing but arithmetic."""
    try:
        return int(eval(_compiled(text), {"__builtins__": {}}, sizes))
    except ZeroDivisionError:
        raise ValueError("a size divides by zero") from None
