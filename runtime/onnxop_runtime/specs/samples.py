"""[[samples]] and [[errors]] → the arguments of each call, with every size computed."""

from __future__ import annotations

import builtins
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from ..messages import did_you_mean, join_words, shown, some
from . import named_sizes
from .argument_values import example, parse_value
from .arguments import UNKNOWN_TYPE, Argument
from .document import Document
from .op_schema import OpSchema
from .positions import Path
from .problems import Problems
from .tensors import Literal, Part, RandomTensor, SampleValue, TensorList, UnresolvedTensor

_SAMPLE_SHAPE = (1, 3, 10, 10)


@dataclass(frozen=True)
class Refusal:
    """A call that must raise: ``raises`` is a builtin exception, ``match`` a regex or empty."""

    values: dict[str, SampleValue]
    raises: str
    match: str


def parse_samples(
    document: Document, problems: Problems, schema: OpSchema | None, *, is_sound: bool
) -> tuple[dict[str, SampleValue], ...]:
    """Return the ``[[samples]]``; without any, a default one if the schema ``is_sound``."""
    kernel = document.kernel
    is_elementwise = kernel is not None and kernel.elementwise is not None
    if tables_of_calls := document.samples:
        return tuple(
            parse_sample(table, schema, ("samples", i), problems, is_elementwise=is_elementwise)
            for i, table in enumerate(tables_of_calls)
        )
    if schema is None or not is_sound:
        return ()
    required = [a.name for a in schema.scalars if not (a.has_default or a.is_optional)]
    if required:
        fact = f"missing; write a [[samples]] table, with a value of {some(required)}, for example"
        problems.add(("samples",), fact, on_key=True)
    return (default_sample(schema, is_elementwise=is_elementwise),)


def parse_errors(
    document: Document, problems: Problems, schema: OpSchema | None
) -> tuple[Refusal, ...]:
    """Return the ``[[errors]]``."""
    refusals: list[Refusal] = []
    for position, table in enumerate(document.errors):
        path: Path = ("errors", position)
        raises, match = table.get("raises"), table.get("match", "")
        name = raises if isinstance(raises, str) else ""
        exception = getattr(builtins, name, None)
        if not (isinstance(exception, type) and issubclass(exception, Exception)):
            fact = "missing" if raises is None else f"{shown(raises)} is not a Python exception"
            hint = did_you_mean(name, [n for n in dir(builtins) if n.endswith("Error")])
            hint = hint or '; write raises = "RuntimeError"'
            problems.add((*path, "raises"), f"{fact}{hint}", on_key=raises is None)
        if why := _fault(match) if isinstance(match, str) else "it is not a string":
            remedy = r"write a part of the message, \\( for a bracket"
            fact = f"{shown(match)} is not a regular expression: {why}; {remedy}"
            problems.add((*path, "match"), fact)
        values = parse_error(table, schema, path, problems)
        refusals.append(Refusal(values, name, match if isinstance(match, str) else ""))
    return tuple(refusals)


def _fault(pattern: str) -> str:
    """Return Python's message for an invalid regular expression, or an empty string."""
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError, ValueError) as error:
        return str(error)
    return ""


def default_sample(schema: OpSchema, *, is_elementwise: bool) -> dict[str, SampleValue]:
    """Return the sample of a spec without samples: a float tensor for each required Tensor."""
    drawn = RandomTensor("float32", _SAMPLE_SHAPE, _SAMPLE_SHAPE)
    drawn = _with_each_larger(drawn) if is_elementwise else drawn
    required: dict[str, SampleValue] = {
        a.name: TensorList((drawn, drawn)) if a.is_list else drawn
        for a in schema.tensors
        if not a.is_optional
    }
    return _with_nones(required, schema)


def parse_sample(
    table: dict[str, Any],
    schema: OpSchema | None,
    path: Path,
    problems: Problems,
    *,
    is_elementwise: bool,
) -> dict[str, SampleValue]:
    """Return a sample's values by argument, each of the schema's type if there is a schema."""
    problems_before = len(problems)
    parts = _parts(table, schema, path, problems)
    values = _resolved(parts, problems, is_whole=len(problems) == problems_before, has_larger=True)
    for argument in schema.arguments if schema else ():
        is_required = not (argument.has_default or argument.is_optional or argument.is_always_none)
        if is_required and argument.name not in table:
            fact = f"missing; write {argument.name} = {example(argument)}"
            problems.add((*path, argument.name), fact, on_key=True)
    if is_elementwise:
        if not any(_has_names(part) for part in parts.values()):
            values = _with_larger_shapes(values, path, problems)
        _check_agreement(values, path, problems)
    return _with_nones(values, schema) if schema else values


def parse_error(
    table: dict[str, Any], schema: OpSchema | None, path: Path, problems: Problems
) -> dict[str, SampleValue]:
    """Return the arguments of a call that must fail; types may be wrong, and arguments missing."""
    problems_before = len(problems)
    parts = _parts(table, schema, path, problems, is_error=True)
    return _resolved(parts, problems, is_whole=len(problems) == problems_before)


def _parts(
    table: dict[str, Any],
    schema: OpSchema | None,
    path: Path,
    problems: Problems,
    *,
    is_error: bool = False,
) -> dict[str, Part]:
    """Return a table's value for each argument. Without a schema, any name may be an argument."""
    keys = ("raises", "match") if is_error else ()
    by_name = {argument.name: argument for argument in schema.arguments} if schema else None
    parts: dict[str, Part | None] = {}
    for name, raw in table.items():
        argument_path = (*path, name)
        if name in keys:
            continue
        argument = Argument(name, UNKNOWN_TYPE) if by_name is None else by_name.get(name)
        if argument is None:
            argument_names = [*(by_name or ()), *keys]
            hint = (
                did_you_mean(name, argument_names)
                or f"; its arguments: {join_words(argument_names)}"
            )
            problems.add(argument_path, f"the schema has no argument {name}{hint}", on_key=True)
        elif argument.is_always_none:
            fact = f"argument {name} is of type {argument.type}, which is always None here"
            problems.add(argument_path, f"{fact}; remove the line", on_key=True)
        else:
            parts[name] = parse_value(raw, argument, argument_path, problems, is_error=is_error)
    return {name: part for name, part in parts.items() if part is not None}


def _with_nones(values: dict[str, SampleValue], schema: OpSchema) -> dict[str, SampleValue]:
    """Add None for each optional argument without a value and a default: TOML has no null."""
    return values | {
        a.name: Literal("None")
        for a in schema.arguments
        if a.is_optional and a.name not in values and not (a.has_default or a.is_always_none)
    }


def _resolved(
    parts: dict[str, Part], problems: Problems, *, is_whole: bool, has_larger: bool = False
) -> dict[str, SampleValue]:
    """Return the values with their sizes. Unless ``is_whole``, definitions may be missing."""
    tensors = [tensor for part in parts.values() for tensor in _flat(part)]
    every = [
        size for tensor in tensors if isinstance(tensor, UnresolvedTensor) for size in tensor.sizes
    ]
    sizes_by_name = named_sizes.defined(every, problems)
    if is_whole:
        named_sizes.check_names(every, sizes_by_name, problems)
    values: dict[str, SampleValue] = {}
    for name, part in parts.items():
        resolved = [
            tensor
            if isinstance(tensor, Literal)
            else _with_shapes(tensor, sizes_by_name, problems, has_larger=has_larger)
            for tensor in _flat(part)
        ]
        items = [value for value in resolved if value is not None]
        if len(items) == len(resolved):
            values[name] = TensorList(tuple(items)) if isinstance(part, list) else items[0]
    return values


def _flat(part: Part) -> list[UnresolvedTensor | Literal]:
    return part if isinstance(part, list) else [part]


_LARGER = "with every named size one larger, "
_EACH_LARGER = "with every size above 1 one larger, "


def _with_shapes(
    drawn: UnresolvedTensor, sizes_by_name: dict[str, int], problems: Problems, *, has_larger: bool
) -> RandomTensor | None:
    """Return a tensor with the sizes of its sample, and with larger ones; None after a problem."""
    if not all(size.names <= sizes_by_name.keys() for size in drawn.sizes):
        return None  # a problem is added already, for the name or where it is defined
    shape = named_sizes.shape(drawn.sizes, sizes_by_name, drawn.path, problems)
    if shape is None:
        return None
    larger: tuple[int, ...] | None = shape
    if has_larger and _has_names(drawn):
        grown = {name: value + 1 for name, value in sizes_by_name.items()}
        larger = named_sizes.shape(drawn.sizes, grown, drawn.path, problems, _LARGER)
    if larger is None:
        return None
    written = tuple(size.text for size in drawn.sizes)
    return RandomTensor(drawn.dtype, shape, larger, drawn.low, drawn.high, written)


def _has_names(part: Part) -> bool:
    drawn = [tensor for tensor in _flat(part) if isinstance(tensor, UnresolvedTensor)]
    return any(size.names for tensor in drawn for size in tensor.sizes)


def _with_larger_shapes(
    values: dict[str, SampleValue], path: Path, problems: Problems
) -> dict[str, SampleValue]:
    """Return an elementwise kernel's sample, whose sizes have no names, with larger shapes; the
    sample itself if it has a literal tensor, with whose constant size these would not broadcast.
    """
    if any(isinstance(value, Literal) and value.is_tensor for value in values.values()):
        return values
    every = dict(values)
    for name, value in values.items():
        if isinstance(value, RandomTensor):
            grown = _with_each_larger(value)
            named_sizes.check_small(grown.larger, (*path, name), problems, _EACH_LARGER)
            every[name] = grown
    return every


def _with_each_larger(value: RandomTensor) -> RandomTensor:
    """Grow all sizes above 1: equal sizes stay equal, and broadcasting still works."""
    return replace(value, larger=tuple(size + 1 if size > 1 else size for size in value.shape))


def _check_agreement(values: dict[str, SampleValue], path: Path, problems: Problems) -> None:
    """Add a problem unless an elementwise kernel's tensors have one dtype and broadcast."""
    drawn = {n: v for n, v in values.items() if v.dtype and not isinstance(v, TensorList)}
    for first, second in combinations(drawn, 2):
        if message := _disagreement(first, drawn[first], second, drawn[second]):
            problems.add((*path, second), message)
            return


def _disagreement(
    first: str, value: RandomTensor | Literal, second: str, other: RandomTensor | Literal
) -> str:
    """Return why an elementwise kernel cannot take two arguments together; "" if it can."""
    if value.dtype != other.dtype:
        return (
            f"{second} is {other.dtype}, but {first} is {value.dtype}, and an elementwise kernel "
            "takes one dtype; give both the same dtype, or write a source or python kernel, which "
            "takes any"
        )
    for when, shape, other_shape in (
        ("", value.shape, other.shape),
        (_LARGER, _larger(value), _larger(other)),
    ):
        if not _broadcast(shape, other_shape):
            return (
                f"{when}the shape {list(other_shape)} of {second} does not broadcast with "
                f"{list(shape)} of {first}; make each size equal, or 1"
            )
    return ""


def _broadcast(shape: Sequence[int], other_shape: Sequence[int]) -> bool:
    """Return whether two shapes broadcast."""
    pairs = zip(reversed(shape), reversed(other_shape), strict=False)
    return all(size == other or 1 in (size, other) for size, other in pairs)


def _larger(value: RandomTensor | Literal) -> tuple[int, ...]:
    return value.larger if isinstance(value, RandomTensor) else value.shape
