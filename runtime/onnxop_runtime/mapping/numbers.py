"""What stands beside the tensors of a mapping: numbers, lists and sizes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .definitions import FLOATS, NUMBERS
from .problems import error

_WORDS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")


class Number:
    """A Scalar argument, or what is computed with it: an integer or a float, PyTorch looks at which.

    ``raw`` is the number that the writer knows.
    """

    raw: Any


def number(value: Any) -> Any:
    """Return a Scalar's value, marked as one."""
    kinds: dict[type, Any] = {int: IntNumber, float: FloatNumber}
    kind = next((k for base, k in kinds.items() if isinstance(value, base)), None)
    if kind is None:
        return value
    made = kind(value)
    made.raw = plain(value)
    return made


def _computing(base: type) -> dict[str, Any]:
    """Return the methods that compute with a Scalar: with an integer or a Scalar they give another one."""

    def binary(word: str, *, is_reflected: bool) -> Callable[..., Any]:
        compute: Callable[..., Any] = getattr(operator, word)

        def call(self: Any, other: Any) -> Any:
            if not isinstance(other, int | float):
                return NotImplemented
            own, its = self.raw, plain(other)
            found = compute(its, own) if is_reflected else compute(own, its)
            is_scalar = isinstance(other, int | Number) and word != "truediv"
            return number(found) if is_scalar else found

        return call

    def unary(word: str) -> Callable[..., Any]:
        compute: Callable[..., Any] = getattr(operator, word)
        return lambda self: number(compute(self.raw))

    methods = {f"__{word}__": binary(word, is_reflected=False) for word in _WORDS}
    methods |= {f"__r{word}__": binary(word, is_reflected=True) for word in _WORDS}
    methods |= {f"__{word}__": unary(word) for word in ("neg", "pos", "abs")}
    return methods


IntNumber: Any = type("IntNumber", (Number, int), _computing(int))
FloatNumber: Any = type("FloatNumber", (Number, float), _computing(float))


class Sizes(Sequence[Any]):
    """``x.shape``: the sizes of an argument, each asked for where it is looked at."""

    def __init__(self, rank: Callable[[], int], size: Callable[[int], int]) -> None:
        self._rank, self._size = rank, size

    def __len__(self) -> int:
        return self._rank()

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self._size(each) for each in range(len(self))[place]]
        return self._size(place)

    def __iter__(self) -> Iterator[Any]:
        return iter(self[:])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]


def is_list(value: Any) -> bool:
    """Return whether a value is a list of any kind."""
    return isinstance(value, list | tuple | Sizes | range)


def plain(value: Any) -> Any:
    """Return a number, or a list of them, as the writer knows it."""
    if isinstance(value, Number):
        return value.raw
    if isinstance(value, list) and not any(isinstance(i, Number) for i in list.__iter__(value)):
        return value
    # A Scalar is a float in a list.
    return (
        [float(i.raw) if isinstance(i, Number) else i for i in value] if is_list(value) else value
    )


def natural(value: Any) -> str:
    """Return the element type of a number, or of a list of them, beside no tensor."""
    if isinstance(value, Number):
        return "FLOAT"
    items = [*value] if is_list(value) else [value]
    if any(isinstance(item, float | Number) for item in items):
        return "FLOAT"
    return "BOOL" if items and all(isinstance(item, bool) for item in items) else "INT64"


def check_fits(value: Any, kind: str) -> None:
    """Raise MappingError where no tensor of the element type holds the number, or one of a list."""
    if kind in FLOATS or kind not in NUMBERS:  # large floats are infinite
        return
    low, high = 0, 1
    if kind != "BOOL":
        low, high = int(np.iinfo(kind.lower()).min), int(np.iinfo(kind.lower()).max)
    for item in value if isinstance(value, list | tuple) else [value]:
        if not isinstance(item, int | float):
            continue
        if not low <= item <= high or (isinstance(item, float) and not item.is_integer()):
            fact = f"the number {shown(item)} stands beside {kind}, which cannot hold it"
            raise error(fact, "write op.Cast(x, to=1) for a float, or to=7 for int64")


def shown(item: object) -> str:
    """Return a number or a word as a message has it."""
    if isinstance(item, int) and item.bit_length() > 1000:
        return f"{hex(item)[:27]}..."
    text = repr(float(item)) if isinstance(item, float) else repr(item)
    return text if len(text) <= 30 else f"{text[:27]}..."
