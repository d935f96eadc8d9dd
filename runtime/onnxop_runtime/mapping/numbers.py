"""Numbers in mappings, and lists of numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .definitions import FLOATS, NUMBERS
from .problems import error


class Number:
    """A Scalar argument, or a result computed with one: PyTorch distinguishes integers from
    floats.
    """


class IntNumber(Number, int):
    """A Scalar that is an integer."""


class FloatNumber(Number, float):
    """A Scalar that is a float."""


def number(value: object) -> Any:
    """Return a Scalar's value as a `Number`."""
    if isinstance(value, int):
        return IntNumber(value)
    return FloatNumber(value) if isinstance(value, float) else value


def _operator(name: str, *, is_reflected: bool) -> Callable[..., Any]:
    """Return an operator of `Number`: of Scalars and integers, its result is a Scalar."""
    compute = getattr(operator, name)

    def call(self: object, *others: object) -> object:
        if not all(isinstance(other, int | float) for other in others):
            return NotImplemented
        result = compute(*map(plain, (*others, self) if is_reflected else (self, *others)))
        is_scalar = all(isinstance(other, int | Number) for other in others)
        return number(result) if is_scalar and name != "truediv" else result

    return call


for _name in "add sub mul truediv floordiv mod pow neg pos abs".split():
    setattr(Number, f"__{_name}__", _operator(_name, is_reflected=False))
    setattr(Number, f"__r{_name}__", _operator(_name, is_reflected=True))


def is_list(value: object) -> bool:
    """Return whether a value is a list of any kind."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def items_of(value: Any) -> list[object]:
    """Return the items of a list, or the value itself as the only item."""
    return [*value] if is_list(value) else [value]


def leaves(value: Any) -> list[Any]:
    """Return the items of nested lists, in order, or the value itself as the only item."""
    if not is_list(value):
        return [value]
    return [leaf for item in value for leaf in leaves(item)]


def sizes_of(value: Any) -> list[int] | None:
    """Return the sizes of nested lists, of which a number has none; None if their lengths
    differ.
    """
    if not is_list(value):
        return []
    inner = [sizes_of(item) for item in value]
    first = inner[0] if inner else []
    is_regular = first is not None and all(sizes == first for sizes in inner)
    return [len(value), *first] if first is not None and is_regular else None


def plain(value: Any) -> Any:
    """Return a number or lists without `Number`s, for the writer; a Scalar in a list becomes a
    float.
    """
    if is_list(value):
        return [float(plain(i)) if isinstance(i, Number) else plain(i) for i in value]
    if isinstance(value, IntNumber):
        return int(value)
    return float(value) if isinstance(value, FloatNumber) else value


def natural(value: object) -> str:
    """Return the element type of a number or of lists of numbers, if no tensor determines it."""
    items = leaves(value)
    if any(isinstance(item, float | Number) for item in items):
        return "FLOAT"
    return "BOOL" if items and all(isinstance(item, bool) for item in items) else "INT64"


def check_fits(value: object, element_type: str) -> None:
    """Raise MappingError if a tensor of the element type cannot hold the number, or one of the
    lists.
    """
    if element_type in FLOATS or element_type not in NUMBERS:  # large floats are infinite
        return
    info = None if element_type == "BOOL" else np.iinfo(element_type.lower())
    low, high = (int(info.min), int(info.max)) if info else (0, 1)
    for item in leaves(value):
        is_whole = isinstance(item, int) or (isinstance(item, float) and item.is_integer())
        if isinstance(item, int | float) and not (is_whole and low <= item <= high):
            message = (
                f"the number {shown(item)} does not fit {element_type}, the other input's element "
                "type"
            )
            raise error(message, "write op.Cast(x, to=1) for a float, or to=7 for int64")


def shown(item: object) -> str:
    """Return a number or a string as text for a message, shortened."""
    text = repr(float(item)) if isinstance(item, float) else repr(item)
    return text if len(text) <= 30 else f"{text[:27]}..."
