"""The tensors of samples and error cases: drawn at random, or literal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ..errors import Path, Problems, did_you_mean, listed, shown
from . import sizes
from .literals import Literal, problem_with_bound, read_nested
from .sizes import MAX_DIMENSIONS, Size

__all__ = ["Literal", "RandomTensor", "SampleValue", "TensorList", "tensors_of"]


FLOATING = ("float32", "float64", "float16", "bfloat16")
SAMPLE_DTYPES = (*FLOATING, "int8", "int16", "int32", "int64", "uint8", "bool")
"""What PyTorch, ONNX Runtime and onnx.reference can all be fed."""
ERROR_DTYPES = (*SAMPLE_DTYPES, "complex64", "complex128")
NOTATION = re.compile(r"\s*(?P<dtype>\w+)\s*\[(?P<shape>.*)\]\s*", re.DOTALL)
_LARGEST = 1.7e308
SAMPLE = '"float32[1, 3, 10, 10]"'


@dataclass(frozen=True)
class RandomTensor:
    """A tensor drawn at random: normal, or uniform between ``low`` and ``high``.

    ``larger`` is its shape in the second call of a test with dynamic axes: the dimensions that
    differ are dynamic. ``sizes`` are the sizes as they are written, of ``n=2`` its name; none
    where nobody wrote them.
    """

    dtype: str
    shape: tuple[int, ...]
    larger: tuple[int, ...]
    low: float | int | None = None
    high: float | int | None = None
    sizes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def notation(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class TensorList:
    """A list of tensors, some of which may be None."""

    items: tuple[RandomTensor | Literal, ...]
    dtype: str = ""

    @property
    def notation(self) -> str:
        words = [i.notation if i.dtype else "None" for i in self.items]
        return f"[{', '.join(words)}]"


SampleValue = RandomTensor | Literal | TensorList


def tensors_of(value: SampleValue) -> tuple[RandomTensor | Literal, ...]:
    """The tensor that the value is, or those of a list; none where it is no tensor."""
    items = value.items if isinstance(value, TensorList) else (value,)
    return tuple(item for item in items if item.dtype)


@dataclass(frozen=True)
class Drawn:
    """A random tensor whose sizes may need the names that other tensors of the sample define."""

    dtype: str
    sizes: list[Size]
    path: Path  # of the shape
    low: float | int | None = None
    high: float | int | None = None


Part = Drawn | Literal | list["Drawn | Literal"]


def read_tensor(raw: Any, dtypes: tuple[str, ...], path: Path, problems: Problems) -> Part | None:
    match raw:
        case str():
            return _read_notation(raw, dtypes, path, problems)
        case list():
            return read_nested(raw, "", path, problems)
        case dict():
            return _read_table(raw, dtypes, path, problems)
        case _:
            problems.add(path, f"{shown(raw)} is no value of an argument; write {SAMPLE}, say")
            return None


def _read_notation(
    raw: str, dtypes: tuple[str, ...], path: Path, problems: Problems
) -> Drawn | None:
    found = NOTATION.fullmatch(raw)
    if found is None:
        problems.add(path, f"not a tensor; write dtype[shape], such as {SAMPLE}")
        return None
    known = _is_dtype(found["dtype"], dtypes, path, found.start("dtype"), problems)
    shape = sizes.read_list(found["shape"], path, found.start("shape"), problems)
    return Drawn(found["dtype"], shape, path) if known and shape is not None else None


_ALIASES = {"float": "float32", "double": "float64", "half": "float16"}
_ALIASES |= {"int": "int64", "long": "int64", "short": "int16", "bf16": "bfloat16"}
# PyTorch's other dtypes, and why no test can feed them.
_OTHERS = (
    (r"complex(32|64|128)|c(half|float|double)", "hardly any ONNX op takes complex numbers"),
    (r"float[48]_\w+", "PyTorch and ONNX Runtime store it, and compute with other dtypes"),
    (r"uint(16|32|64)", "PyTorch has hardly any op for it"),
    (r"u?int[1-7]|bits\w+|q(u?int)\w+", "no tensor of it has elements that can be compared"),
)


def _is_dtype(
    word: str, dtypes: tuple[str, ...], path: Path, offset: int | None, problems: Problems
) -> bool:
    if word in dtypes:
        return True
    alias = _ALIASES.get(word)
    hint = f"; did you mean {alias}?" if alias else did_you_mean(word, dtypes)
    hint = hint or f"; known: {listed(dtypes)}"
    fact = f"unknown dtype {word}{hint}"
    for pattern, why in _OTHERS:
        if re.fullmatch(pattern, word):
            fact = f"{word} cannot be a sample's: {why}; write one of {listed(dtypes, 'or')}"
    problems.add(path, fact, offset=offset, length=max(len(word), 1))
    return False


_TABLE = '{ dtype = "float32", shape = [4, 9], low = 0.1, high = 20.0 }, say'
_VALUES = '{ dtype = "int64", values = [[0, 1]] }, say'
_NUMBER = ((int, float), "a number")
_KEYS: dict[str, tuple[tuple[type, ...], str]] = {
    "dtype": ((str,), "a string"),
    "shape": ((list,), "an array"),
    "low": _NUMBER,
    "high": _NUMBER,
    "values": ((list, bool, int, float), "a number or an array"),
}
_OPTIONAL = ("low", "high")


def _read_table(
    raw: dict[str, Any], dtypes: tuple[str, ...], path: Path, problems: Problems
) -> Part | None:
    is_literal = "values" in raw
    keys = ("dtype", "values") if is_literal else ("dtype", "shape", "low", "high")
    example = _VALUES if is_literal else _TABLE
    found = len(problems)
    for word in raw.keys() - {*keys}:
        hint = did_you_mean(word, keys) or f"; known here: {listed(keys)}"
        fact = f"{word} does not go with values; remove it"
        problems.add(
            (*path, word), fact if word in _KEYS else f"unknown key {word}{hint}", on_key=True
        )
    for word in keys:
        kinds, expected = _KEYS[word]
        if word not in raw and word not in _OPTIONAL:
            problems.add((*path, word), f"missing; write {example}", on_key=True)
        elif word in raw and type(raw[word]) not in kinds:
            given = shown(raw[word], 30)
            problems.add((*path, word), f"{expected} is expected, not {given}; write {example}")
    if isinstance(raw.get("dtype"), str):
        _is_dtype(raw["dtype"], dtypes, (*path, "dtype"), 0, problems)
    if is_literal:
        values = (*path, "values")
        is_sound = len(problems) == found
        return read_nested(raw["values"], raw["dtype"], values, problems) if is_sound else None
    shape = raw.get("shape")
    sizes_ = _read_shape(shape, (*path, "shape"), problems) if isinstance(shape, list) else None
    if sizes_ is None or len(problems) > found:
        return None
    return _read_drawn(raw, sizes_, path, problems)


def _read_drawn(
    raw: dict[str, Any], shape: list[Size], path: Path, problems: Problems
) -> Drawn | None:
    dtype, low, high = raw["dtype"], raw.get("low"), raw.get("high")
    bounds = {word: raw[word] for word in _OPTIONAL if word in raw}
    if not all(abs(bound) <= _LARGEST for bound in bounds.values()):
        problems.add(path, "low and high must be finite numbers; write low = -1.0, high = 1.0, say")
        return None
    if low is not None and high is not None and low > high:
        problems.add(path, f"low = {low} is above high = {high}; swap them")
        return None
    for word, bound in bounds.items():
        if why := problem_with_bound(bound, dtype):
            problems.add((*path, word), f"{dtype} cannot hold {bound}; {why}")
            return None
    return Drawn(dtype, shape, (*path, "shape"), low, high)


def _read_shape(shape: list[Any], path: Path, problems: Problems) -> list[Size] | None:
    if len(shape) > MAX_DIMENSIONS:
        sizes.note_large(path, problems)
        return None
    found: list[Size] = []
    for place, size in enumerate(shape):
        read = None
        if isinstance(size, str):
            read = sizes.read(size, (*path, place), 0, problems)
        elif type(size) is int and size >= 0:
            read = sizes.number(size, (*path, place))
        else:
            fact = f"a size, 0 or more, is expected, not {shown(size, 30)}"
            problems.add((*path, place), f"{fact}; write {_TABLE}")
        found += [read] if read is not None else []
    return found if len(found) == len(shape) else None
