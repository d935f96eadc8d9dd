"""The tensors of samples and error cases: drawn at random, or literal."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..messages import join_words, shown
from . import named_sizes, pyexpr
from .named_sizes import MAX_DIMENSIONS, Size
from .positions import Path
from .problems import Problems

FLOATING = ("float32", "float64", "float16", "bfloat16")
SAMPLE_DTYPES = (*FLOATING, "int8", "int16", "int32", "int64", "uint8", "bool")
"""What PyTorch, ONNX Runtime and onnx.reference can all be fed."""
ERROR_DTYPES = (*SAMPLE_DTYPES, "complex64", "complex128")
NOTATION = re.compile(r"\s*(?P<dtype>\w+)\s*\[(?P<shape>.*)\]\s*", re.DOTALL)
SAMPLE = '"float32[1, 3, 10, 10]"'


@dataclass(frozen=True)
class RandomTensor:
    """A tensor drawn at random: normal, or uniform between ``low`` and ``high``.

    ``larger`` is its shape in the second call of a test with dynamic axes: the dimensions that
    differ are dynamic. ``sizes`` are the sizes as written, with the name for ``n=2``; empty
    if the spec has none.
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
class Literal:
    """A plain value, or with ``dtype`` a tensor, as code. ``is_inferred``: torch infers it."""

    expression: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    is_inferred: bool = True

    @property
    def is_tensor(self) -> bool:
        return bool(self.dtype)

    @property
    def tensor_arguments(self) -> list[str]:
        """Return the arguments of the ``torch.tensor`` call that makes the tensor."""
        return [self.expression, *([] if self.is_inferred else [f"dtype=torch.{self.dtype}"])]


@dataclass(frozen=True)
class TensorList:
    """A list of tensors, some of which may be None."""

    items: tuple[RandomTensor | Literal, ...]
    dtype: str = ""


SampleValue = RandomTensor | Literal | TensorList
Samples = Sequence[Mapping[str, SampleValue]]


def tensors_of(value: SampleValue) -> tuple[RandomTensor | Literal, ...]:
    """Return the tensors of a value: itself, the items of a list, or none."""
    items = value.items if isinstance(value, TensorList) else (value,)
    return tuple(item for item in items if item.dtype)


@dataclass(frozen=True)
class UnresolvedTensor:
    """A random tensor whose sizes may use names that other tensors of the sample define."""

    dtype: str
    sizes: list[Size]
    path: Path  # of the shape
    low: float | int | None = None
    high: float | int | None = None


Part = UnresolvedTensor | Literal | list["UnresolvedTensor | Literal"]


def read_tensor(
    raw: object, dtypes: Sequence[str], path: Path, problems: Problems
) -> UnresolvedTensor | Literal | None:
    """Return a tensor in one of its notations, or add a problem and return None."""
    match raw:
        case str():
            return _read_notation(raw, dtypes, path, problems)
        case list():
            return _read_nested(raw, "", path, problems)
        case dict():
            return _read_table(raw, dtypes, path, problems)
        case _:
            problems.add(path, f"{shown(raw)} is not a valid value; write {SAMPLE}, for example")
            return None


def _read_notation(
    raw: str, dtypes: Sequence[str], path: Path, problems: Problems
) -> UnresolvedTensor | None:
    """Return a tensor written as ``dtype[shape]``; None after adding a problem."""
    notation = NOTATION.fullmatch(raw)
    if notation is None:
        problems.add(path, f"not a tensor; write dtype[shape], such as {SAMPLE}")
        return None
    is_known = _check_dtype(notation["dtype"], dtypes, path, notation.start("dtype"), problems)
    shape = named_sizes.read_list(notation["shape"], path, notation.start("shape"), problems)
    return (
        UnresolvedTensor(notation["dtype"], shape, path) if is_known and shape is not None else None
    )


def _check_dtype(
    dtype: str, dtypes: Sequence[str], path: Path, offset: int, problems: Problems
) -> bool:
    if dtype in dtypes:
        return True
    fact = f"dtype {dtype} is not supported here; write one of {join_words(dtypes, 'or')}"
    problems.add(path, fact, offset=offset, length=max(len(dtype), 1))
    return False


_IS_NUMBER = (int, float)
_KEYS: dict[str, tuple[type, ...]] = {
    "dtype": (str,),
    "shape": (list,),
    "low": _IS_NUMBER,
    "high": _IS_NUMBER,
    "values": (list, bool, *_IS_NUMBER),
}
_FORMS = (
    '{ dtype = "float32", shape = [4, 9], low = 0.1, high = 20.0 } or '
    '{ dtype = "int64", values = [[0, 1]] }, for example'
)


_LITERAL_KEYS = ("dtype", "values")
_DRAWN_KEYS = ("dtype", "shape", "low", "high")


def _check_keys(raw: dict[str, Any], known: Sequence[str], path: Path, problems: Problems) -> None:
    """Add a problem for each key of a table that is missing, unknown, or of a wrong type. The first
    two are required.
    """
    for key in {**dict.fromkeys(known[:2]), **raw}:
        if key not in raw:
            fact = "missing"
        elif key not in known:
            fact = f"{key} is not allowed here"
        elif type(raw[key]) not in _KEYS[key]:
            fact = f"{shown(raw[key], 30)} is not valid for {key}"
        else:
            continue
        is_key = key not in raw or key not in known
        problems.add((*path, key), f"{fact}; write {_FORMS}", on_key=is_key)


def _read_table(
    raw: dict[str, Any], dtypes: Sequence[str], path: Path, problems: Problems
) -> UnresolvedTensor | Literal | None:
    """Return a tensor written as a table: drawn, or by its values; None after adding a problem."""
    problems_before = len(problems)
    is_literal = "values" in raw
    _check_keys(raw, _LITERAL_KEYS if is_literal else _DRAWN_KEYS, path, problems)
    if isinstance(raw.get("dtype"), str):
        _check_dtype(raw["dtype"], dtypes, (*path, "dtype"), 0, problems)
    if len(problems) > problems_before:
        return None
    if is_literal:
        return _read_nested(raw["values"], raw["dtype"], (*path, "values"), problems)
    shape = _read_shape(raw["shape"], (*path, "shape"), problems)
    drawn = UnresolvedTensor(raw["dtype"], shape, (*path, "shape"), raw.get("low"), raw.get("high"))
    for key in ("low", "high"):
        if key in raw and (why := _problem_with(raw[key], drawn.dtype, is_bound=True)):
            fact = f"{drawn.dtype} cannot hold {shown(raw[key], 30)}; {why}"
            problems.add((*path, key), fact)
    if len(problems) > problems_before:
        return None
    if drawn.low is not None and drawn.high is not None and drawn.low > drawn.high:
        problems.add(path, f"low = {drawn.low} is above high = {drawn.high}; swap them")
        return None
    return drawn


def _read_shape(shape: list[Any], path: Path, problems: Problems) -> list[Size]:
    """Return the sizes of a tensor written as a table; add a problem for each that is none."""
    sizes_read: list[Size] = []
    for index, size in enumerate(shape):
        if isinstance(size, str):
            if (read := named_sizes.read(size, (*path, index), 0, problems)) is not None:
                sizes_read.append(read)
        elif type(size) is int and size >= 0:
            sizes_read.append(Size(ast.Constant(size), (*path, index)))
        else:
            problems.add((*path, index), f"{shown(size, 30)} is not a size; write {_FORMS}")
    return sizes_read


def _read_nested(raw: object, dtype: str, path: Path, problems: Problems) -> Literal | None:
    """Return nested lists as a tensor. Without a given dtype, it has the one that torch infers."""
    shape = _shape_of(raw)
    leaves = list(_leaves(raw, path))
    leaf_types = {type(leaf) for _, leaf in leaves}
    if shape is None or not (leaf_types <= {int, float} or leaf_types == {bool}):
        problems.add(
            path,
            "a literal tensor must have rows of equal length, either numbers or booleans, and "
            f"at most {MAX_DIMENSIONS} dimensions; write [[1.0, 2.0], [3.0, 4.0]], for example",
        )
        return None
    inferred = "bool" if leaf_types == {bool} else "int64" if leaf_types == {int} else "float32"
    dtype = dtype or inferred
    for path_of_leaf, leaf in leaves:
        if why := _problem_with(leaf, dtype):
            problems.add(path_of_leaf, f"{dtype} cannot hold {shown(leaf, 30)}; {why}")
            return None
    return Literal(pyexpr.literal(raw), dtype, shape, dtype == inferred)


def _shape_of(value: object, depth: int = 0) -> tuple[int, ...] | None:
    """Return the shape of nested lists; None if they are ragged or too deep."""
    if not isinstance(value, list):
        return ()
    if depth == MAX_DIMENSIONS:
        return None
    inner = {_shape_of(item, depth + 1) for item in value}
    if len(inner) > 1 or None in inner:
        return None
    return (len(value), *(inner.pop() or () if inner else ()))


def _leaves(value: object, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the items of nested lists with their paths."""
    if not isinstance(value, list):
        yield path, value
        return
    for position, item in enumerate(value):
        yield from _leaves(item, (*path, position))


_LARGEST = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": 3.4028234663852886e38,
    "complex64": 3.4028234663852886e38,
}


def _problem_with(number: float, dtype: str, *, is_bound: bool = False) -> str:
    """Return why no tensor of the dtype can hold the number, as a remedy; empty if one can.

    A bound of random values may lie between integers, and must be finite.
    """
    if dtype == "bool":
        fits = 0 <= number <= 1 if is_bound else isinstance(number, bool)
        return "" if fits else f"write {'0 or 1' if is_bound else 'true or false'}"
    if isinstance(number, bool):
        return "write a number"
    if integer := re.fullmatch(r"(u?)int(\d+)", dtype):
        bits = int(integer[2]) - (not integer[1])
        low, high = (0 if integer[1] else -(2**bits)), 2**bits - 1
        fits = (is_bound or isinstance(number, int)) and low <= number <= high
        return "" if fits else f"write an integer from {low} to {high}"
    if isinstance(number, float) and not math.isfinite(number):
        return "write a finite number" if is_bound else ""
    largest = _LARGEST.get(dtype, 1.7e308)
    is_short = isinstance(number, float) or -(2**63) <= number < 2**63
    fits = abs(number) <= largest and is_short
    return "" if fits else f"write a float of at most {largest:.6g}, or another dtype"
