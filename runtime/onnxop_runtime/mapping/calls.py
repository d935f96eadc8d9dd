"""Validation of a call of an ONNX op by ``onnx.defs``: inputs, attributes, functions."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .definitions import (
    ELEMENT_TYPES,
    HIGHEST,
    NUMBERS,
    Definition,
    definition,
    option_of,
    versions,
)
from .numbers import is_list, items_of, leaves, plain, shown, sizes_of
from .placeholders import DynamicSize, Value
from .problems import did_you_mean, error

GRAPHS = {"If": ("then_branch", "else_branch"), "Loop": ("body",)}
"""The ops with subgraphs, and the attributes that have them."""
SPOKEN = {"INT": "an integer", "FLOAT": "a float", "STRING": "a string"}
SPOKEN |= {
    f"{attribute_type}S": f"a list of {text.split()[1]}s" for attribute_type, text in SPOKEN.items()
}
"""The names, in messages, of the types of attributes that a mapping can write."""
UNKNOWN: Any = object()
"""The value of an attribute that is unknown until the mapping runs."""
_SHOWN_NAMES = 6
"""The parameters that a message writes out."""
MOST_PARTS = 1_000
"""The outputs that one op.Split may have."""
_LARGEST = 3.4028234663852886e38  # of float32
TYPES = ("to", "dtype", "output_dtype", "output_datatype")
"""The attributes that give the element type of the op's first output."""
_TERM = r"[A-Za-z ]*(\.\.\.[A-Za-z ]*)?"
_EQUATION = rf"{_TERM}(,{_TERM})*(->{_TERM})?"
_OPS = "https://onnx.ai/onnx/operators"


def definition_of(op: str, opset: int) -> Definition:
    """Return an op at an opset. Raise MappingError if a mapping cannot call it."""
    schema = definition(op, opset)
    if schema is None and (opset_versions := versions().get(op)):
        first = opset_versions[0]
        is_written = f"write opset = {first}" if first <= HIGHEST else "no exporter writes that"
        fact = f"op.{op} does not exist at opset {opset}"
        raise error(fact, f"it came with opset {first}: {is_written}")
    if schema is None:
        remedy = did_you_mean(op, versions(), "op.") or f"choose one from {_OPS}"
        raise error(f"op.{op} is not an ONNX op at opset {opset}", remedy)
    if schema.deprecated:
        raise error(f"op.{op} is deprecated at opset {opset}", "write the op that replaced it")
    if "GRAPH" in schema.attributes.values() and op not in GRAPHS:
        raise error(f"a mapping cannot write the graph of op.{op}", "write op.Loop")
    return schema


def placed(
    op: Definition,
    opset: int,
    inputs: Sequence[object],
    keywords: dict[str, Any],
    *,
    has_star: bool,
) -> list[object]:
    """Return the inputs in ONNX's order; move those in ``keywords`` to their places. ``has_star``:
    the call may have more inputs, as with ``*tensors``. Raise MappingError if there are too many or
    too few.
    """
    values = list(inputs)
    for index, formal in enumerate(op.inputs):
        is_left = index >= len(inputs)  # `attribute` reports an input given twice
        if is_left and formal.name in keywords and formal.name not in op.attributes:
            missing = index + 1 - len(values)
            values += [None for _ in range(missing)]
            values[index] = keywords.pop(formal.name)
    if len(values) > op.max_input or (len(values) < op.min_input and not has_star):
        expected = count_of(op.min_input, op.max_input, "input")
        count = f"{len(values)} {'is' if len(values) == 1 else 'are'}"
        fact = f"op.{op.name} takes {expected} at opset {opset}, but {count} given"
        raise error(fact, f"write {op}")
    for index, value in enumerate(values):
        formal = op.input_at(index)
        if value is None and option_of(formal) != "Optional" and not has_star:
            fact = f"input {formal.name} of op.{op.name} cannot be left out"
            raise error(fact, "give a tensor")
    return values


def attributes(
    schema: Definition, opset: int, arguments: Mapping[str, object]
) -> dict[str, object]:
    """Return the attributes in their types. Raise MappingError if one is wrong or missing."""
    values = {name: attribute(schema, opset, name, value) for name, value in arguments.items()}
    values = {name: value for name, value in values.items() if value is not None}
    for name in sorted(schema.required - values.keys()):
        if schema.attributes[name] != "GRAPH":
            raise error(f"op.{schema.name} needs the attribute {name}", f"write {schema}")
    return values


def attribute(schema: Definition, opset: int, name: str, value: object) -> Any:
    """Return an attribute's value in its type. Raise MappingError if it does not fit."""
    attribute_type = schema.attributes.get(name, "GRAPH")
    if attribute_type == "GRAPH":
        argument_names = {*schema.attributes, *(formal.name for formal in schema.inputs)} - {name}
        fact = f"op.{schema.name} has no attribute {name} at opset {opset}"
        raise error(fact, did_you_mean(name, sorted(argument_names)) or f"write {schema}")
    if value is None or value is UNKNOWN:
        return value
    subject = f"attribute {name} of op.{schema.name}"
    if attribute_type not in SPOKEN:
        raise error(
            f"{subject} is a {attribute_type.lower()}, which a mapping cannot write", "leave it out"
        )
    values = [_attribute_item(attribute_type.removesuffix("S"), item) for item in items_of(value)]
    if is_list(value) != attribute_type.endswith("S") or any(item is None for item in values):
        is_tensor = any(isinstance(item, Value) for item in items_of(value))
        actual = "a tensor" if is_tensor else shown(plain(value))
        raise error(
            f"{subject} takes {SPOKEN[attribute_type]}, not {actual}",
            f"write {SPOKEN[attribute_type]}",
        )
    for item in values:
        if remedy := _remedy(schema, name, item):
            raise error(f"{subject} cannot be {shown(item)} at opset {opset}", remedy)
    return values if is_list(value) else values[0]


def _attribute_item(attribute_type: str, value: object) -> object:
    """Return a value in the type of an attribute's items, or None if it has another type."""
    if isinstance(value, DynamicSize):
        value.refuse()
    match attribute_type, value:
        case "STRING", str():
            return value
        case "FLOAT", int() | float():
            return float(value)
        case "INT", int():
            return int(value)
        case _, int() | float() | str():
            return None
        case _:
            return None if _is_of_mapping(value) else value  # the writer refuses unknown types


def _remedy(schema: Definition, name: str, value: object) -> str:
    """Return the remedy for a value that an attribute cannot have, or "" if it can."""
    op = schema.name
    if isinstance(value, str):
        # ONNX's inference does not terminate for a wrong equation.
        if (op, name) == ("Einsum", "equation") and not re.fullmatch(_EQUATION, value):
            return "write letters, and ... once in a term, as in ...ij,jk->...ik"
        choices = schema.choices.get(name, [value])
        page = f"write one of the values at {_OPS}/onnx__{op}.html"
        return "" if value in choices else did_you_mean(value, choices) or page
    if isinstance(value, float) and math.isfinite(value) and abs(value) > _LARGEST:
        return f"write a number of float32, at most {_LARGEST:.6g}"
    if not isinstance(value, int):
        return ""
    if not -(2**63) <= value < 2**63:
        return "write an integer of 64 bits"
    if (op, name) == ("GatherND", "batch_dims") and value < 0:  # which crashes ONNX
        return "write 0 or more"
    is_type = name in TYPES and (value != 0 or name in schema.required)  # 0 is the op's default
    if is_type and ELEMENT_TYPES.get(value) not in (schema.allowed(schema.outputs[0]) or NUMBERS):
        return "write 1 for float32, 7 for int64 or 10 for float16, for example"
    return ""


def _is_of_mapping(value: object) -> bool:
    return value is None or isinstance(value, Value) or is_list(value) or callable(value)


def check_input(schema: Definition, index: int, value: object) -> None:
    """Raise MappingError if an input cannot become a tensor."""
    subject = f"input {schema.input_at(index).name} of op.{schema.name} is"
    if callable(value):
        raise error(f"{subject} a function", "write what it returns")
    for item in leaves(value):
        if isinstance(item, str):
            raise error(f"{subject} a string", "write a number, or an attribute's name")
        if item is not value and _is_of_mapping(item):
            remedy = "write tensors[0], or op.Concat(*tensors, axis=0), for example"
            raise error(f"{subject} one tensor, not a list of them", remedy)
    if sizes_of(value) is None:
        fact = f"{subject} a list of lists whose lengths differ"
        raise error(fact, "write lists of one length, as in [[1, 2], [3, 4]]")


def check_parts(count: int | None) -> None:
    """Raise MappingError if op.Split cannot have so many outputs; None: as many as there are
    names.
    """
    if count is not None and not 1 <= count <= MOST_PARTS:
        remedy = f"write 1 to {MOST_PARTS}"
        raise error(f"op.Split cannot have {shown(count)} outputs", remedy)


def check_tensors(values: Iterable[object], subject: str) -> None:
    """Raise MappingError if a result cannot become a tensor."""
    for value in values:
        if not isinstance(value, Value | int | float):
            raise error(f"{subject} must be a tensor", "write the output of an op.<Name>(...)")


def check_function(op: str, name: str, function: Callable[..., Any] | None, count: int) -> None:
    """Raise MappingError unless ``function`` is a function of ``count`` parameters."""
    if _has_parameters(function, count):
        return
    names = ["i", "keep", *(f"y{index}" for index in range(count - 2))][:count]
    parameters = ", ".join(names if count <= _SHOWN_NAMES else [*names[:_SHOWN_NAMES], "..."])
    takes = count_of(count, count, "parameter") if count else "no parameters"
    written = f"lambda {parameters}" if parameters else "lambda"
    remedy = f"write {name}={written}: ..., or a def above"
    raise error(f"{name} of op.{op} must be a function of {takes}", remedy)


def _has_parameters(function: object, count: int) -> bool:
    """Return whether it is a function of so many parameters, all of which may be positional."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_kwonlyargcount:
        return False
    has_star = bool(code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS))
    return code.co_argcount == count and not has_star


def count_of(least: int, most: int, noun: str) -> str:
    """Return a count with its noun: ``2 to 3 inputs``."""
    if least == most:
        return f"{least} {noun}{'' if least == 1 else 's'}"
    return f"at least {least} {noun}s" if most > 1000 else f"{least} to {most} {noun}s"
