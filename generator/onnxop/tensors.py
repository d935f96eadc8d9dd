"""The values of samples and error cases: random tensors, literal tensors and scalars."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
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
    """A scalar, or nested lists that are a tensor, as a Python expression."""

    expression: str
    is_tensor: bool


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
        value = _read(raw, SAMPLE_DTYPES, (*path, name), problems)
        if value is not None and _fits(value, raw, by_name[name], (*path, name), problems):
            values[name] = value
    for argument in arguments:
        if argument.name not in table and not argument.has_default:
            problems.add(
                (*path, argument.name),
                f"the sample gives no {argument.name}; write {argument.name} = "
                f"{_EXAMPLES.get(argument.type, _SAMPLE)}",
                on_key=True,
            )
    return values


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
            return Literal(pyexpr.literal(raw), is_tensor=False)
        case str():
            return _read_notation(raw, dtypes, path, problems)
        case list():
            return _read_nested(raw, path, problems)
        case dict():
            return _read_table(raw, dtypes, path, problems)
        case _:
            problems.add(
                path, f"{shown(raw)} is no value of an argument; write {_SAMPLE}, say"
            )
            return None


def _read_notation(
    raw: str, dtypes: tuple[str, ...], path: Path, problems: Problems
) -> SampleValue | None:
    found = _NOTATION.fullmatch(raw)
    if found is None:
        problems.add(path, f"not a tensor: write dtype[shape], such as {_SAMPLE}")
        return None
    if not _is_dtype(found["dtype"], dtypes, path, found.start("dtype"), problems):
        return None
    sizes = [size.strip() for size in found["shape"].split(",")]
    if sizes == [""]:
        sizes = []
    if "" in sizes[:-1] or any(" " in size for size in sizes):
        problems.add(path, f"the shape is a list of sizes with commas between: {_SAMPLE}")
        return None
    return RandomTensor(found["dtype"], tuple(int(size) for size in sizes if size))


def _is_dtype(
    word: str, dtypes: tuple[str, ...], path: Path, offset: int | None, problems: Problems
) -> bool:
    if word in dtypes:
        return True
    hint = did_you_mean(word, dtypes) or f"; known: {listed(dtypes)}"
    problems.add(path, f"unknown dtype {word}{hint}", offset=offset, length=max(len(word), 1))
    return False


def _read_nested(raw: list[Any], path: Path, problems: Problems) -> SampleValue | None:
    leaves: list[Any] = []

    def shape_of(value: Any) -> tuple[int, ...] | None:
        if not isinstance(value, list):
            leaves.append(value)
            return ()
        inner = {shape_of(item) for item in value}
        if len(inner) > 1 or None in inner:
            return None
        return (len(value), *(inner.pop() or () if inner else ()))

    if shape_of(raw) is None:
        problems.add(path, "a literal tensor needs rows of one length")
        return None
    kinds = {type(leaf) for leaf in leaves}
    if not (kinds <= {int, float} or kinds == {bool}):
        problems.add(path, "a literal tensor holds numbers, or booleans, only")
        return None
    return Literal(pyexpr.literal(raw), is_tensor=True)


def _read_table(
    raw: dict[str, Any], dtypes: tuple[str, ...], path: Path, problems: Problems
) -> SampleValue | None:
    from pydantic import ValidationError

    try:
        table = TensorTable.model_validate(raw)
    except ValidationError as error:
        for detail in error.errors():
            place = (*path, *detail["loc"])
            word = str(detail["loc"][-1]) if detail["loc"] else ""
            keys = ("dtype", "shape", "low", "high")
            if detail["type"] == "extra_forbidden":
                hint = did_you_mean(word, keys) or f"; known here: {listed(keys)}"
                problems.add(place, f"unknown key {word}{hint}", on_key=True)
            else:
                problems.add(
                    place,
                    f"{detail['msg'][0].lower()}{detail['msg'][1:]}; write "
                    '{ dtype = "float32", shape = [4, 9], low = 0.1, high = 20.0 }',
                )
        return None
    if not _is_dtype(table.dtype, dtypes, (*path, "dtype"), 0, problems):
        return None
    bounds = [bound for bound in (table.low, table.high) if bound is not None]
    if any(not math.isfinite(bound) for bound in bounds):
        problems.add(path, "low and high must be finite")
        return None
    if len(bounds) == 2 and bounds[0] > bounds[1]:
        problems.add(path, f"low = {bounds[0]} is above high = {bounds[1]}; swap them")
        return None
    return RandomTensor(table.dtype, tuple(table.shape), table.low, table.high)


def _fits(value: SampleValue, raw: Any, argument: Argument, path: Path, problems: Problems) -> bool:
    if argument.type == UNKNOWN_TYPE:
        return True
    if argument.is_tensor:
        if isinstance(value, RandomTensor) or value.is_tensor:
            return True
        fact = f"argument {argument.name} is a tensor; write {_SAMPLE} or nested lists"
    else:
        is_bool = isinstance(raw, bool)
        good = {
            "float": isinstance(raw, int | float) and not is_bool,
            "int": isinstance(raw, int) and not is_bool,
            "bool": is_bool,
        }[argument.type]
        if good:
            return True
        fact = (
            f"argument {argument.name} is of type {argument.type}; write {argument.name} = "
            f"{_EXAMPLES[argument.type]}"
        )
    problems.add(path, fact)
    return False
