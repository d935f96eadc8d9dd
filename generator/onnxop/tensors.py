"""The values of samples and error cases: random tensors, literal tensors and scalars."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from onnxop import pyexpr
from onnxop.document import TensorTable
from onnxop.errors import Path, Problems, did_you_mean, listed, shown
from onnxop.schema import UNKNOWN_TYPE, Argument, OpSchema

FLOATING = ("float32", "float64", "float16")
SAMPLE_DTYPES = (*FLOATING, "int8", "int16", "int32", "int64", "uint8", "bool")
"""What can be fed to ONNX Runtime from numpy."""
ERROR_DTYPES = (*SAMPLE_DTYPES, "bfloat16", "complex64", "complex128")
_NOTATION = re.compile(r"\s*(?P<dtype>\w+)\s*\[(?P<shape>[\d\s,]*)\]\s*")
MAX_DIMENSIONS = 16
MAX_ELEMENTS = 100_000_000
_LARGEST = 1.7e308
_SAMPLE = '"float32[1, 3, 10, 10]"'


@dataclass(frozen=True)
class RandomTensor:
    """A tensor drawn at random: normal, or uniform between ``low`` and ``high``."""

    dtype: str
    shape: tuple[int, ...]
    low: float | int | None = None
    high: float | int | None = None

    @property
    def notation(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class Literal:
    """A scalar, or nested lists that are a tensor (then ``dtype`` is not empty), as Python code."""

    expression: str
    dtype: str = ""
    shape: tuple[int, ...] = ()

    @property
    def is_tensor(self) -> bool:
        return bool(self.dtype)


SampleValue = RandomTensor | Literal


def read_sample(
    table: dict[str, Any], schema: OpSchema | None, path: Path, problems: Problems
) -> dict[str, SampleValue]:
    """A sample's values by argument, every one of the schema's type where there is a schema."""
    arguments = schema.arguments if schema else ()
    by_name = {argument.name: argument for argument in arguments}
    values: dict[str, SampleValue] = {}
    for name, raw in table.items():
        if schema is None:
            _read(raw, SAMPLE_DTYPES, (*path, name), problems)
            continue
        if name not in by_name:
            _unknown_argument(name, by_name, (*path, name), problems)
            continue
        if not _fits(raw, by_name[name], (*path, name), problems):
            continue
        value = _read(raw, SAMPLE_DTYPES, (*path, name), problems)
        if value is not None:
            values[name] = value
    for argument in arguments:
        if argument.name not in table and not argument.has_default:
            problems.add(
                (*path, argument.name),
                f"the sample gives no {argument.name}; write {argument.name} = "
                f"{_EXAMPLES.get(argument.type, _SAMPLE)}",
                on_key=True,
            )
    _check_agreement(values, path, problems)
    return values


def _check_agreement(values: dict[str, SampleValue], path: Path, problems: Problems) -> None:
    """An elementwise kernel takes tensors of one dtype, whose shapes broadcast together."""
    drawn = {name: value for name, value in values.items() if value.dtype}
    for (first, one), (second, other) in combinations(drawn.items(), 2):
        if one.dtype != other.dtype:
            problems.add(
                (*path, second),
                f"{second} is of {other.dtype}, but {first} is of {one.dtype}; give both one dtype",
            )
            return
        pairs = zip(reversed(one.shape), reversed(other.shape), strict=False)
        if any(a != b and 1 not in (a, b) for a, b in pairs):
            problems.add(
                (*path, second),
                f"the shape {list(other.shape)} of {second} does not broadcast with "
                f"{list(one.shape)} of {first}; make each size equal, or 1",
            )
            return


def read_error(
    table: dict[str, Any], schema: OpSchema | None, path: Path, problems: Problems
) -> dict[str, SampleValue]:
    """The arguments of a call that must fail: any value for any argument, some left out."""
    by_name = [argument.name for argument in schema.arguments] if schema else []
    values: dict[str, SampleValue] = {}
    for name, raw in table.items():
        if name in ("raises", "match"):
            continue
        if schema is not None and name not in by_name:
            _unknown_argument(name, [*by_name, "raises", "match"], (*path, name), problems)
            continue
        value = _read(raw, ERROR_DTYPES, (*path, name), problems)
        if value is not None:
            values[name] = value
    return values


_EXAMPLES = {"float": "0.5", "int": "1", "bool": "true"}


def _unknown_argument(name: str, known: Any, path: Path, problems: Problems) -> None:
    hint = did_you_mean(name, known) or f"; its arguments: {listed(known)}"
    problems.add(path, f"the schema has no argument {name}{hint}", on_key=True)


def _read(raw: Any, dtypes: tuple[str, ...], path: Path, problems: Problems) -> SampleValue | None:
    match raw:
        case bool() | int() | float():
            if not _fits_64_bits(raw, path, problems):
                return None
            return Literal(pyexpr.literal(raw))
        case str():
            return _read_notation(raw, dtypes, path, problems)
        case list():
            return _read_nested(raw, path, problems)
        case dict():
            return _read_table(raw, dtypes, path, problems)
        case _:
            problems.add(path, f"{shown(raw)} is no value of an argument; write {_SAMPLE}, say")
            return None


def _read_notation(
    raw: str, dtypes: tuple[str, ...], path: Path, problems: Problems
) -> SampleValue | None:
    found = _NOTATION.fullmatch(raw)
    if found is None:
        problems.add(path, f"not a tensor; write dtype[shape], such as {_SAMPLE}")
        return None
    if not _is_dtype(found["dtype"], dtypes, path, found.start("dtype"), problems):
        return None
    sizes = [size.strip() for size in found["shape"].split(",")]
    if sizes[-1] == "":
        sizes.pop()
    if any(re.fullmatch("[0-9]{1,18}", size) is None for size in sizes):
        problems.add(
            path, f"the shape is a list of sizes with commas between; write {_SAMPLE}, say"
        )
        return None
    shape = tuple(int(size) for size in sizes)
    return RandomTensor(found["dtype"], shape) if _is_small(shape, path, problems) else None


def _is_small(shape: Sequence[int], path: Path, problems: Problems) -> bool:
    if math.prod(shape) <= MAX_ELEMENTS and len(shape) <= MAX_DIMENSIONS:
        return True
    problems.add(
        path,
        f"the shape has more than {MAX_DIMENSIONS} dimensions or {MAX_ELEMENTS} elements; write a "
        "smaller one",
    )
    return False


_ALIASES = {"float": "float32", "double": "float64", "half": "float16"}
_ALIASES |= {"int": "int64", "long": "int64", "short": "int16"}


def _is_dtype(
    word: str, dtypes: tuple[str, ...], path: Path, offset: int | None, problems: Problems
) -> bool:
    if word in dtypes:
        return True
    alias = _ALIASES.get(word)
    hint = f"; did you mean {alias}?" if alias else did_you_mean(word, dtypes)
    hint = hint or f"; known: {listed(dtypes)}"
    problems.add(path, f"unknown dtype {word}{hint}", offset=offset, length=max(len(word), 1))
    return False


def _read_nested(raw: list[Any], path: Path, problems: Problems) -> SampleValue | None:
    leaves: list[Any] = []

    def shape_of(value: Any, depth: int) -> tuple[int, ...] | None:
        if not isinstance(value, list):
            leaves.append(value)
            return ()
        if depth == MAX_DIMENSIONS:
            return None
        inner = {shape_of(item, depth + 1) for item in value}
        if len(inner) > 1 or None in inner:
            return None
        return (len(value), *(inner.pop() or () if inner else ()))

    shape = shape_of(raw, 0)
    if shape is None:
        problems.add(
            path,
            "a literal tensor needs rows of one length, and at most "
            f"{MAX_DIMENSIONS} dimensions; write [[1.0, 2.0], [3.0, 4.0]], say",
        )
        return None
    kinds = {type(leaf) for leaf in leaves}
    if not (kinds <= {int, float} or kinds == {bool}):
        problems.add(
            path,
            "a literal tensor holds numbers only, or booleans only; write [1.0, 2.0], say",
        )
        return None
    if not all(_fits_64_bits(leaf, path, problems) for leaf in leaves):
        return None
    dtype = "bool" if kinds == {bool} else "int64" if kinds == {int} else "float32"
    return Literal(pyexpr.literal(raw), dtype, shape)


def _fits_64_bits(value: float, path: Path, problems: Problems) -> bool:
    if not isinstance(value, int) or -(2**63) <= value < 2**63:
        return True
    problems.add(path, f"{shown(value, 30)} does not fit in 64 bits; write a float, such as 1e20")
    return False


_TABLE = '{ dtype = "float32", shape = [4, 9], low = 0.1, high = 20.0 }, say'
_EXPECTED = {
    "dtype": "a string",
    "shape": "an array",
    "size": "a size, 0 or more,",
    "low": "a number",
    "high": "a number",
}


def _read_table(
    raw: dict[str, Any], dtypes: tuple[str, ...], path: Path, problems: Problems
) -> SampleValue | None:
    from pydantic import ValidationError

    try:
        table = TensorTable.model_validate(raw)
    except ValidationError as error:
        keys = ("dtype", "shape", "low", "high")
        for detail in error.errors():
            place = (*path, *detail["loc"][:2])
            word = str(detail["loc"][0])
            if detail["type"] == "extra_forbidden":
                hint = did_you_mean(word, keys) or f"; known here: {listed(keys)}"
                problems.add(place, f"unknown key {word}{hint}", on_key=True)
            elif detail["type"] == "missing":
                problems.add(place, f"missing; write {_TABLE}", on_key=True)
            else:
                expected = _EXPECTED[word if len(detail["loc"]) == 1 or word != "shape" else "size"]
                found = shown(detail["input"], 30)
                problems.add(
                    place if word == "shape" else (*path, word),
                    f"{expected} is expected, not {found}; write {_TABLE}",
                )
        return None
    if not _is_dtype(table.dtype, dtypes, (*path, "dtype"), 0, problems):
        return None
    bounds = [bound for bound in (table.low, table.high) if bound is not None]
    if not _is_small(table.shape, (*path, "shape"), problems):
        return None
    if not all(abs(bound) <= _LARGEST for bound in bounds):
        problems.add(path, "low and high must be finite numbers; write low = -1.0, high = 1.0, say")
        return None
    if len(bounds) == 2 and bounds[0] > bounds[1]:
        problems.add(path, f"low = {bounds[0]} is above high = {bounds[1]}; swap them")
        return None
    return RandomTensor(table.dtype, tuple(table.shape), table.low, table.high)


def _fits(raw: Any, argument: Argument, path: Path, problems: Problems) -> bool:
    """Whether this can be a value of the argument, be it a good one or not."""
    is_bool = isinstance(raw, bool)
    fits = {
        "Tensor": not isinstance(raw, int | float),
        "float": isinstance(raw, int | float) and not is_bool,
        "int": isinstance(raw, int) and not is_bool,
        "bool": is_bool,
        UNKNOWN_TYPE: True,
    }
    if fits[argument.type]:
        return True
    fact = f"argument {argument.name} is of type {argument.type}; write {argument.name} = "
    fact += _EXAMPLES.get(argument.type, f"{_SAMPLE}, or nested lists")
    problems.add(path, fact)
    return False
