"""What stands beside the tensors of a mapping: numbers, and lists of them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .definitions import FLOATS, NUMBERS
from .problems import error


class Number:
    """A Scalar argument, or what is computed with it: an integer or a float, PyTorch looks at which."""


class IntNumber(Number, int):
    """A Scalar that is an integer."""


class FloatNumber(Number, float):
    """A Scalar that is a float."""


def number(value: Any) -> Any:
    """Return a Scalar's value, marked as one."""
    if isinstance(value, int):
        return IntNumber(value)
    return FloatNumber(value) if isinstance(value, float) else value


def _operator(word: str, *, is_reflected: bool) -> Callable[..., Any]:
    """Return what computes with a Scalar; with integers and other Scalars it gives one."""
    compute = getattr(operator, word)

    def call(self: Any, *others: Any) -> Any:
        if not all(isinstance(other, int | float) for other in others):
            return NotImplemented
        found = compute(*map(plain, (*others, self) if is_reflected else (self, *others)))
        is_scalar = all(isinstance(other, int | Number) for other in others)
        return number(found) if is_scalar and word != "truediv" else found

    return call


for _word in "add sub mul truediv floordiv mod pow neg pos abs".split():
    setattr(Number, f"__{_word}__", _operator(_word, is_reflected=False))
    setattr(Number, f"__r{_word}__", _operator(_word, is_reflected=True))


def is_list(value: Any) -> bool:
    """Return whether a value is a list of any kind."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def items_of(value: Any) -> list[Any]:
    """Return the items of a list, or the value alone."""
    return [*value] if is_list(value) else [value]


def plain(value: Any) -> Any:
    """Return a number, or a list of them, as the writer knows it; a Scalar is a float in a list."""
    if is_list(value):
        return [float(plain(item)) if isinstance(item, Number) else item for item in value]
    if not isinstance(value, Number):
        return value
    base: Any = int if isinstance(value, int) else float
    return base(value)


def natural(value: Any) -> str:
    """Return the element type of a number, or of a list of them, beside no tensor."""
    items = items_of(value)
    if any(isinstance(item, float | Number) for item in items):
        return "FLOAT"
    return "BOOL" if items and all(isinstance(item, bool) for item in items) else "INT64"


def check_fits(value: Any, kind: str) -> None:
    """Raise MappingError where no tensor of the element type holds the number, or one of a list."""
    if kind in FLOATS or kind not in NUMBERS:  # large floats are infinite
        return
    info = None if kind == "BOOL" else np.iinfo(kind.lower())
    low, high = (int(info.min), int(info.max)) if info else (0, 1)
    for item in items_of(value):
        is_whole = isinstance(item, int) or (isinstance(item, float) and item.is_integer())
        if isinstance(item, int | float) and not (is_whole and low <= item <= high):
            fact = f"the number {shown(item)} stands beside {kind}, which cannot hold it"
            raise error(fact, "write op.Cast(x, to=1) for a float, or to=7 for int64")


def shown(item: object) -> str:
    """Return a number or a word as a message has it."""
    text = repr(float(item)) if isinstance(item, float) else repr(item)
    return text if len(text) <= 30 else f"{text[:27]}..."
