"""The values of samples and error cases: random tensors, literal tensors and plain values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from ..errors import Path, Problems, did_you_mean, listed, shown
from ..schema.arguments import UNKNOWN_TYPE, Argument
from ..schema.signature import OpSchema
from ..words import pyexpr
from . import sizes
from .document import LiteralTable, TensorTable
from .sizes import MAX_DIMENSIONS, Size

FLOATING = ("float32", "float64", "float16", "bfloat16")
SAMPLE_DTYPES = (*FLOATING, "int8", "int16", "int32", "int64", "uint8", "bool")
"""What PyTorch, ONNX Runtime and onnx.reference can all be fed."""
ERROR_DTYPES = (*SAMPLE_DTYPES, "complex64", "complex128")
_NOTATION = re.compile(r"\s*(?P<dtype>\w+)\s*\[(?P<shape>.*)\]\s*", re.DOTALL)
_LARGEST = 1.7e308
_MAX_TEXT = 200  # characters of a string, which the title of a sample shows
_SAMPLE_SHAPE = (1, 3, 10, 10)
_SAMPLE = '"float32[1, 3, 10, 10]"'


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
class Literal:
    """A plain value, or nested lists that are a tensor (then ``dtype`` is not empty), as Python
    code. ``is_inferred``: torch finds the dtype by itself.
    """

    expression: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    is_inferred: bool = True

    @property
    def is_tensor(self) -> bool:
        return bool(self.dtype)

    @property
    def words(self) -> list[str]:
        """The arguments of the ``torch.tensor`` that makes the tensor."""
        return [self.expression, *([] if self.is_inferred else [f"dtype=torch.{self.dtype}"])]

    @property
    def notation(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


SampleValue = RandomTensor | Literal


@dataclass(frozen=True)
class _Drawn:
    """A random tensor whose sizes may need the names that other tensors of the sample define."""

    dtype: str
    sizes: list[Size]
    path: Path  # of the shape
    low: float | int | None = None
    high: float | int | None = None


_Part = _Drawn | Literal


def default_sample(schema: OpSchema, *, is_elementwise: bool) -> dict[str, SampleValue]:
    """What the tests feed where the spec has no samples: every Tensor that must be given."""
    drawn = RandomTensor("float32", _SAMPLE_SHAPE, _SAMPLE_SHAPE)
    drawn = _with_each_larger(drawn) if is_elementwise else drawn
    required: dict[str, SampleValue] = {a.name: drawn for a in schema.tensors if not a.is_optional}
    return _with_nones(required, schema)


def read_sample(
    table: dict[str, Any],
    schema: OpSchema | None,
    path: Path,
    problems: Problems,
    *,
    is_elementwise: bool,
) -> dict[str, SampleValue]:
    """A sample's values by argument, every one of the schema's type where there is a schema."""
    by_name = {argument.name: argument for argument in schema.arguments} if schema else {}
    found = len(problems)
    parts: dict[str, _Part] = {}
    for name, raw in table.items():
        part = None
        if schema is None:
            part = _read_unknown(raw, SAMPLE_DTYPES, (*path, name), problems)
        elif _is_given(name, by_name, (), (*path, name), problems):
            part = _read(raw, by_name[name], (*path, name), problems)
        if part is not None:
            parts[name] = part
    values = _resolved(parts, problems, is_whole=len(problems) == found, has_larger=True)
    for argument in by_name.values():
        if argument.name not in table and not _may_be_left_out(argument):
            problems.add(
                (*path, argument.name),
                f"the sample gives no {argument.name}; write {argument.name} = "
                f"{_example(argument)}",
                on_key=True,
            )
    if is_elementwise:
        if not any(_has_names(part) for part in parts.values()):
            values = _all_larger(values, path, problems)
        _check_agreement(values, path, problems)
    return _with_nones(values, schema) if schema else values


def read_error(
    table: dict[str, Any], schema: OpSchema | None, path: Path, problems: Problems
) -> dict[str, SampleValue]:
    """The arguments of a call that must fail: any value for any argument, some left out."""
    by_name = {argument.name: argument for argument in schema.arguments} if schema else {}
    keys = ("raises", "match")
    found = len(problems)
    parts: dict[str, _Part] = {}
    for name, raw in table.items():
        if name in keys:
            continue
        part = None
        if schema is None:
            part = _read_unknown(raw, ERROR_DTYPES, (*path, name), problems)
        elif _is_given(name, by_name, keys, (*path, name), problems):
            part = _read_any(raw, by_name[name], (*path, name), problems)
        if part is not None:
            parts[name] = part
    return _resolved(parts, problems, is_whole=len(problems) == found)


def _may_be_left_out(argument: Argument) -> bool:
    return argument.has_default or argument.is_optional or argument.is_held


def _with_nones(values: dict[str, SampleValue], schema: OpSchema) -> dict[str, SampleValue]:
    """TOML has no null: an optional argument that a sample leaves out, and which has no default
    to take its place, is None.
    """
    left_out = [
        argument.name
        for argument in schema.arguments
        if argument.is_optional
        and argument.name not in values
        and not (argument.has_default or argument.is_held)
    ]
    return values | {name: Literal("None") for name in left_out}


def _is_given(
    name: str,
    by_name: dict[str, Argument],
    keys: tuple[str, ...],
    path: Path,
    problems: Problems,
) -> bool:
    """Whether there is such an argument that a call can give."""
    if name not in by_name:
        known = [*by_name, *keys]
        hint = did_you_mean(name, known) or f"; its arguments: {listed(known)}"
        problems.add(path, f"the schema has no argument {name}{hint}", on_key=True)
        return False
    if by_name[name].is_held:
        fact = f"argument {name} is of type {by_name[name].type}, which is held at None"
        problems.add(path, f"{fact}; remove the line", on_key=True)
        return False
    return True


def _resolved(
    parts: dict[str, _Part], problems: Problems, *, is_whole: bool, has_larger: bool = False
) -> dict[str, SampleValue]:
    """The values, each size worked out. Where a part is missing, so may names that it defines."""
    every = [size for part in parts.values() if isinstance(part, _Drawn) for size in part.sizes]
    known = sizes.names(every, problems)
    if is_whole:
        sizes.check_names(every, known, problems)
    values: dict[str, SampleValue] = {}
    for name, part in parts.items():
        value: SampleValue | None = part if isinstance(part, Literal) else None
        if isinstance(part, _Drawn):
            value = _with_shapes(part, known, problems, has_larger=has_larger)
        if value is not None:
            values[name] = value
    return values


_LARGER = "with every named size one larger, "


def _with_shapes(
    drawn: _Drawn, known: dict[str, int], problems: Problems, *, has_larger: bool
) -> RandomTensor | None:
    if not all(sizes.uses(size) <= known.keys() for size in drawn.sizes):
        return None  # noted, or defined where a problem is noted
    shape = sizes.shape(drawn.sizes, known, drawn.path, problems)
    if shape is None:
        return None
    larger: tuple[int, ...] | None = shape
    if has_larger and _has_names(drawn):
        grown = {name: value + 1 for name, value in known.items()}
        larger = sizes.shape(drawn.sizes, grown, drawn.path, problems, _LARGER)
    if larger is None:
        return None
    written = tuple(sizes.text(size) for size in drawn.sizes)
    return RandomTensor(drawn.dtype, shape, larger, drawn.low, drawn.high, written)


def _has_names(part: _Part) -> bool:
    return isinstance(part, _Drawn) and any(sizes.uses(size) for size in part.sizes)


def _all_larger(
    values: dict[str, SampleValue], path: Path, problems: Problems
) -> dict[str, SampleValue]:
    """An elementwise kernel's sample whose sizes have no names. A literal tensor has one size, to
    which the others have to go on to broadcast.
    """
    if any(isinstance(value, Literal) and value.is_tensor for value in values.values()):
        return values
    larger: dict[str, SampleValue] = {}
    for name, value in values.items():
        larger[name] = _with_each_larger(value) if isinstance(value, RandomTensor) else value
        if isinstance(value, RandomTensor):
            shape = _with_each_larger(value).larger
            sizes.is_small(shape, (*path, name), problems, "with every size one larger, ")
    return larger


def _with_each_larger(value: RandomTensor) -> RandomTensor:
    """Sizes above 1 grow, so that equal ones stay equal and those that broadcast go on to do so."""
    return replace(value, larger=tuple(size + (size > 1) for size in value.shape))


def _check_agreement(values: dict[str, SampleValue], path: Path, problems: Problems) -> None:
    """An elementwise kernel takes tensors of one dtype, whose shapes broadcast together."""
    drawn = {name: value for name, value in values.items() if value.dtype}
    for (first, one), (second, other) in combinations(drawn.items(), 2):
        if one.dtype != other.dtype:
            problems.add(
                (*path, second),
                f"{second} is of {other.dtype}, but {first} is of {one.dtype}, and an elementwise "
                "kernel takes one dtype; give both one, or the kernel by source or python, which "
                "take any",
            )
            return
        for when, left, right in (
            ("", one.shape, other.shape),
            (_LARGER, _larger(one), _larger(other)),
        ):
            if not _do_broadcast(left, right):
                problems.add(
                    (*path, second),
                    f"{when}the shape {list(right)} of {second} does not broadcast with "
                    f"{list(left)} of {first}; make each size equal, or 1",
                )
                return


def _larger(value: SampleValue) -> tuple[int, ...]:
    return value.larger if isinstance(value, RandomTensor) else value.shape


def _do_broadcast(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    pairs = zip(reversed(left), reversed(right), strict=False)
    return all(a == b or 1 in (a, b) for a, b in pairs)


def _is_number(raw: Any) -> bool:
    return isinstance(raw, int | float) and not isinstance(raw, bool)


_IS_OF: dict[str, Callable[[Any], bool]] = {
    "float": _is_number,
    "int": lambda raw: isinstance(raw, int) and not isinstance(raw, bool),
    "bool": lambda raw: isinstance(raw, bool),
    "str": lambda raw: isinstance(raw, str),
    "Scalar": lambda raw: isinstance(raw, int | float),
}
_EXAMPLES = {"float": "0.5", "int": "1", "bool": "true", "str": '"text"', "Scalar": "0.5"}


def _example(argument: Argument) -> str:
    """A value of the argument in TOML."""
    one = _EXAMPLES.get(argument.kind, _SAMPLE)
    return f"[{', '.join([one] * min(argument.length or 2, 8))}]" if argument.is_list else one


def _read(raw: Any, argument: Argument, path: Path, problems: Problems) -> _Part | None:
    """A sample's value of the argument."""
    if argument.kind == UNKNOWN_TYPE:
        return _read_unknown(raw, SAMPLE_DTYPES, path, problems)
    if argument.is_tensor and not isinstance(raw, int | float):
        return _read_tensor(raw, SAMPLE_DTYPES, path, problems)
    if argument.is_list:
        return _read_list(raw, argument, path, problems)
    if argument.kind in _IS_OF and _IS_OF[argument.kind](raw):
        return _read_plain(raw, path, problems)
    _note_type(argument, path, problems)
    return None


def _note_type(argument: Argument, path: Path, problems: Problems) -> None:
    remedy = f"write {argument.name} = {_example(argument)}"
    remedy += ", or nested lists" if argument.is_tensor else ""
    problems.add(path, f"argument {argument.name} is of type {argument.type}; {remedy}")


def _read_list(raw: Any, argument: Argument, path: Path, problems: Problems) -> Literal | None:
    length, is_of = argument.length, _IS_OF.get(argument.kind, lambda _: False)
    if length and is_of(raw):
        raw = [raw] * length
    if not isinstance(raw, list) or not all(is_of(item) for item in raw):
        _note_type(argument, path, problems)
        return None
    # int[1] takes lists of any length, in PyTorch too: it says that a single number will do. And
    # the empty list is how PyTorch's own operators say that a list is left out.
    if length and length > 1 and len(raw) not in (0, length):
        problems.add(
            path,
            f"argument {argument.name} is of type {argument.type}, but the list has {len(raw)} "
            f"elements; write {argument.name} = {_example(argument)}",
        )
        return None
    return _read_plain_list(raw, path, problems)


def _read_any(raw: Any, argument: Argument, path: Path, problems: Problems) -> _Part | None:
    """A value for a call that must fail: what it is, it says itself where the type leaves it open."""
    if argument.kind == UNKNOWN_TYPE:
        return _read_unknown(raw, ERROR_DTYPES, path, problems)
    if isinstance(raw, list) and argument.is_list:
        return _read_plain_list(raw, path, problems)
    if isinstance(raw, bool | int | float) or (isinstance(raw, str) and argument.kind == "str"):
        return _read_plain(raw, path, problems)
    return _read_tensor(raw, ERROR_DTYPES, path, problems)


def _read_unknown(
    raw: Any, dtypes: tuple[str, ...], path: Path, problems: Problems
) -> _Part | None:
    """A value of an argument whose type is not known: anything, if it does not mean a tensor."""
    means_tensor = isinstance(raw, dict) or (isinstance(raw, str) and _NOTATION.fullmatch(raw))
    return _read_tensor(raw, dtypes, path, problems) if means_tensor else None


def _read_plain_list(raw: list[Any], path: Path, problems: Problems) -> Literal | None:
    if not all(isinstance(item, bool | int | float | str) for item in raw):
        problems.add(path, "a list holds plain values only; write [1, 2], say")
        return None
    items = [_read_plain(item, (*path, i), problems) for i, item in enumerate(raw)]
    return Literal(pyexpr.literal(raw)) if None not in items else None


def _read_plain(raw: float | str, path: Path, problems: Problems) -> Literal | None:
    if isinstance(raw, str):
        fits = _is_text(raw, path, problems)
    else:
        fits = _fits_64_bits(raw, path, problems)
    return Literal(pyexpr.literal(raw)) if fits else None


def _is_text(raw: str, path: Path, problems: Problems) -> bool:
    if len(raw) > _MAX_TEXT:
        problems.add(path, f"has more than {_MAX_TEXT} characters; write less")
        return False
    bad = next((i for i, char in enumerate(raw) if not char.isprintable()), None)
    if bad is not None:
        fact = f"holds line breaks or control characters ({raw[bad]!r}); remove them"
        problems.add(path, fact, offset=bad)
    return bad is None


def _read_tensor(raw: Any, dtypes: tuple[str, ...], path: Path, problems: Problems) -> _Part | None:
    match raw:
        case str():
            return _read_notation(raw, dtypes, path, problems)
        case list():
            return _read_nested(raw, "", path, problems)
        case dict():
            return _read_table(raw, dtypes, path, problems)
        case _:
            problems.add(path, f"{shown(raw)} is no value of an argument; write {_SAMPLE}, say")
            return None


def _read_notation(
    raw: str, dtypes: tuple[str, ...], path: Path, problems: Problems
) -> _Drawn | None:
    found = _NOTATION.fullmatch(raw)
    if found is None:
        problems.add(path, f"not a tensor; write dtype[shape], such as {_SAMPLE}")
        return None
    known = _is_dtype(found["dtype"], dtypes, path, found.start("dtype"), problems)
    shape = sizes.read_list(found["shape"], path, found.start("shape"), problems)
    return _Drawn(found["dtype"], shape, path) if known and shape is not None else None


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


def _read_nested(raw: Any, dtype: str, path: Path, problems: Problems) -> Literal | None:
    """Nested lists as a tensor, of the dtype that torch infers where none is given."""
    shape = _shape_of(raw)
    if shape is None:
        problems.add(
            path,
            "a literal tensor needs rows of one length, and at most "
            f"{MAX_DIMENSIONS} dimensions; write [[1.0, 2.0], [3.0, 4.0]], say",
        )
        return None
    leaves = list(_leaves(raw, path))
    kinds = {type(leaf) for _, leaf in leaves}
    if not (kinds <= {int, float} or kinds == {bool}):
        problems.add(
            path,
            "a literal tensor holds numbers only, or booleans only; write [1.0, 2.0], say",
        )
        return None
    if not all(_fits_64_bits(leaf, path, problems) for _, leaf in leaves):
        return None
    inferred = "bool" if kinds == {bool} else "int64" if kinds == {int} else "float32"
    dtype = dtype or inferred
    for place, leaf in leaves:
        if why := _problem_with(leaf, dtype):
            problems.add(place, f"{dtype} cannot hold {shown(leaf, 30)}; {why}")
            return None
    return Literal(pyexpr.literal(raw), dtype, shape, dtype == inferred)


def _shape_of(value: Any, depth: int = 0) -> tuple[int, ...] | None:
    """The shape of nested lists; None where they have none, or are too deep."""
    if not isinstance(value, list):
        return ()
    if depth == MAX_DIMENSIONS:
        return None
    inner = {_shape_of(item, depth + 1) for item in value}
    if len(inner) > 1 or None in inner:
        return None
    return (len(value), *(inner.pop() or () if inner else ()))


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """What nested lists hold, and where."""
    if not isinstance(value, list):
        yield path, value
        return
    for position, item in enumerate(value):
        yield from _leaves(item, (*path, position))


_RANGES = {
    "uint8": (0, 2**8 - 1),
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
}
_LARGEST_OF = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": 3.4028234663852886e38,
    "complex64": 3.4028234663852886e38,
}


def _problem_with(leaf: float, dtype: str) -> str:
    """Why no tensor of the dtype can hold the number, as a remedy; empty where one can."""
    if dtype == "bool":
        return "" if isinstance(leaf, bool) else "write true or false"
    if isinstance(leaf, bool):
        return "write a number"
    if dtype in _RANGES:
        low, high = _RANGES[dtype]
        fits = isinstance(leaf, int) and low <= leaf <= high
        return "" if fits else f"write an integer from {low} to {high}"
    largest = _LARGEST_OF.get(dtype, math.inf)
    fits = not math.isfinite(leaf) or abs(leaf) <= largest
    return "" if fits else f"write a number of at most {largest:.6g}, or another dtype"


def _fits_64_bits(value: float, path: Path, problems: Problems) -> bool:
    if not isinstance(value, int) or -(2**63) <= value < 2**63:
        return True
    problems.add(path, f"{shown(value, 30)} does not fit in 64 bits; write a float, such as 1e20")
    return False


_TABLE = '{ dtype = "float32", shape = [4, 9], low = 0.1, high = 20.0 }, say'
_VALUES = '{ dtype = "int64", values = [[0, 1]] }, say'
_EXPECTED = {
    "dtype": "a string",
    "shape": "an array",
    "size": "a size, 0 or more,",
    "low": "a number",
    "high": "a number",
    "values": "a number or an array",
}


def _read_table(
    raw: dict[str, Any], dtypes: tuple[str, ...], path: Path, problems: Problems
) -> _Part | None:
    from pydantic import ValidationError

    is_literal = "values" in raw
    try:
        if is_literal:
            given = LiteralTable.model_validate(raw)
            known = _is_dtype(given.dtype, dtypes, (*path, "dtype"), 0, problems)
            values = (*path, "values")
            return _read_nested(given.values, given.dtype, values, problems) if known else None
        return _read_drawn(TensorTable.model_validate(raw), dtypes, path, problems)
    except ValidationError as error:
        for detail in error.errors():
            _note_table(detail, path, problems, is_literal=is_literal)
        return None


def _note_table(detail: Any, path: Path, problems: Problems, *, is_literal: bool) -> None:
    """Notes one of the problems that pydantic finds in a table."""
    loc, kind = detail["loc"], detail["type"]
    word, place = str(loc[0]), (*path, *loc[:2])
    example = _VALUES if is_literal else _TABLE
    if kind == "extra_forbidden":
        keys = ("dtype", "values") if is_literal else ("dtype", "shape", "low", "high")
        hint = did_you_mean(word, keys) or f"; known here: {listed(keys)}"
        fact = f"unknown key {word}{hint}"
        if is_literal and word in TensorTable.model_fields:
            fact = f"{word} does not go with values; remove it"
        problems.add(place, fact, on_key=True)
    elif kind == "missing":
        problems.add(place, f"missing; write {example}", on_key=True)
    else:
        expected = _EXPECTED["size" if word == "shape" and len(loc) > 1 else word]
        problems.add(
            place if word == "shape" else (*path, word),
            f"{expected} is expected, not {shown(detail['input'], 30)}; write {example}",
        )


def _read_drawn(
    table: TensorTable, dtypes: tuple[str, ...], path: Path, problems: Problems
) -> _Drawn | None:
    known = _is_dtype(table.dtype, dtypes, (*path, "dtype"), 0, problems)
    shape = _read_shape(table.shape, (*path, "shape"), problems)
    bounds = [bound for bound in (table.low, table.high) if bound is not None]
    if not all(abs(bound) <= _LARGEST for bound in bounds):
        problems.add(path, "low and high must be finite numbers; write low = -1.0, high = 1.0, say")
        return None
    if len(bounds) == 2 and bounds[0] > bounds[1]:
        problems.add(path, f"low = {bounds[0]} is above high = {bounds[1]}; swap them")
        return None
    if not known or shape is None:
        return None
    return _Drawn(table.dtype, shape, (*path, "shape"), table.low, table.high)


def _read_shape(shape: list[int | str], path: Path, problems: Problems) -> list[Size] | None:
    if len(shape) > MAX_DIMENSIONS:
        sizes.note_large(path, problems)
        return None
    read = [
        sizes.number(size, (*path, i))
        if isinstance(size, int)
        else sizes.read(size, (*path, i), 0, problems)
        for i, size in enumerate(shape)
    ]
    found = [size for size in read if size is not None]
    return found if len(found) == len(read) else None
