"""What stands beside the tensors of a mapping: numbers, lists and sizes."""

from __future__ import annotations

import dis
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any, NoReturn, overload

from .definitions import FLOATS
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
    made.raw = value.raw if isinstance(value, Number) else value
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


class Unknown:
    """What is not known: a size that is dynamic while a model is exported, or what a wrong line gives. What is
    computed with it is not known either; to look at it raises ``why``.
    """

    def __init__(self, why: ValueError) -> None:
        self._why = why

    def refuse(self, *_: object) -> NoReturn:
        """Raise what is wrong."""
        raise self._why

    def itself(self, *_: object, **__: object) -> Unknown:
        return self

    def __iter__(self) -> Iterator[Unknown]:
        count = names_here()
        return iter([self] * count) if count else self.refuse()

    shape = property(itself)
    __bool__ = __int__ = __index__ = __float__ = __len__ = refuse
    __call__ = __getitem__ = __neg__ = __pos__ = __abs__ = __invert__ = itself
    __matmul__ = __rmatmul__ = __lt__ = __le__ = __gt__ = __ge__ = itself
    __eq__ = __ne__ = itself  # type: ignore[assignment]
    __hash__ = object.__hash__


for _word in _WORDS:
    setattr(Unknown, f"__{_word}__", Unknown.itself)
    setattr(Unknown, f"__r{_word}__", Unknown.itself)

_UNPACK = dis.opmap["UNPACK_SEQUENCE"]


def names_here() -> int | None:
    """Return how many names the value is assigned to whose ``__iter__`` asks; None elsewhere."""
    frame: FrameType = sys._getframe(2)
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at + 1] if code[at] == _UNPACK else None


def known(ask: Callable[[], Any]) -> Any:
    """Return an answer, or what raises where it is looked at, if there is none."""
    try:
        return ask()
    except ValueError as why:
        return Unknown(why)


class Sizes(Sequence[Any]):
    """``x.shape``: the sizes of an argument, each asked for where it is looked at."""

    def __init__(self, rank: Callable[[], int], size: Callable[[int], int]) -> None:
        self._rank, self._size = rank, size

    def __len__(self) -> int:
        return self._rank()

    @overload
    def __getitem__(self, place: int) -> Any: ...

    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        return known(lambda: self._size(place))

    def __iter__(self) -> Iterator[Any]:
        return iter(self[:])

    def __add__(self, other: Any) -> list[Any]:
        return [*self, *other]

    def __radd__(self, other: Any) -> list[Any]:
        return [*other, *self]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]


def plain(value: Any) -> Any:
    """Return a number, or a list of them, as the writer knows it."""
    if isinstance(value, Unknown):
        value.refuse()
    if isinstance(value, Number):
        return value.raw
    if isinstance(value, list):
        is_marked = any(isinstance(item, Number | Unknown) for item in list.__iter__(value))
        return [_item(item) for item in value] if is_marked else value
    return [_item(item) for item in value] if isinstance(value, Sizes | range) else value


def _item(item: Any) -> Any:
    """Return an item of a list of numbers; a Scalar is a float there."""
    return float(item.raw) if isinstance(item, Number) else plain(item)


def natural(value: Any) -> str:
    """Return the element type of a number, or of a list of them, beside no tensor."""
    if isinstance(value, Number):
        return "FLOAT"
    items = list(value) if isinstance(value, list | tuple | Sizes | range) else [value]
    if any(isinstance(item, float | Number) for item in items):
        return "FLOAT"
    return "BOOL" if items and all(isinstance(item, bool) for item in items) else "INT64"


def check_fits(value: Any, kind: str) -> None:
    """Raise MappingError where no tensor of the element type holds the number, or one of a list."""
    for item in value if isinstance(value, list | tuple) else [value]:
        if isinstance(item, int | float):
            _check_fits(item, kind)


def _check_fits(item: float, kind: str) -> None:
    if kind in FLOATS:  # where a large number is infinite
        return
    if isinstance(item, float) and kind != "BOOL" and not item.is_integer():
        fact = f"the number {float(item)!r} stands beside {kind}, and would be cut"
        raise error(fact, "write op.Cast(x, to=1) for a float", is_of_value=True)
    low, high = bounds(kind)
    if not low <= item <= high or (kind == "BOOL" and item not in (0, 1)):
        holds = ", which holds 0 and 1" if kind == "BOOL" else ", which cannot hold it"
        to = 1 if isinstance(item, float) else 7
        raise error(
            f"the number {_shown(item)} stands beside {kind}{holds}",
            f"write op.Cast(x, to={to}), say",
            is_of_value=True,
        )


def bounds(kind: str) -> tuple[int, int]:
    """Return the least and the largest integer of an element type."""
    if kind == "BOOL":
        return 0, 1
    sign, _, bits = kind.partition("INT")
    count = int(bits)
    return (0, 2**count - 1) if sign else (-(2 ** (count - 1)), 2 ** (count - 1) - 1)


def _shown(item: float) -> str:
    if isinstance(item, bool):
        return repr(item)
    item = float(item) if isinstance(item, float) else int(item)
    text = hex(item) if isinstance(item, int) and item.bit_length() > 1000 else repr(item)
    return text if len(text) <= 30 else f"{text[:27]}..."
