"""What ``onnx.defs`` says of an op, in the words of the mapping's notation."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from ..errors import did_you_mean
from ..words import facts
from . import opsets
from .graph import ElementType, Found, Node, Scalar, Unknown, natural_type, type_of

ATTRIBUTE_EXAMPLES = {
    "INT": "1",
    "FLOAT": "1.0",
    "STRING": "'linear'",
    "INTS": "[1, 1]",
    "FLOATS": "[1.0, 1.0]",
    "STRINGS": "['a', 'b']",
}


@dataclass(frozen=True)
class Formal:
    """An input or an output of an op. ``option`` is Single, Optional or Variadic."""

    name: str
    type_str: str
    option: str = "Single"
    is_homogeneous: bool = True


@dataclass(frozen=True)
class Field:
    """An attribute of an op; ``type`` is ONNX's word, such as INTS."""

    name: str
    type: str
    required: bool


@dataclass(frozen=True)
class Definition:
    """An op at an opset, as ``onnx.defs`` defines it; ``types`` are the element types of its type
    variables.
    """

    name: str
    since_version: int
    deprecated: bool
    min_input: int
    max_input: int
    min_output: int
    max_output: int
    inputs: tuple[Formal, ...]
    outputs: tuple[Formal, ...]
    attributes: dict[str, Field]
    types: dict[str, list[str]]


def definition(op: str, opset: int) -> Definition | None:
    """The standard op at the opset, or None where there is none."""
    versions = facts.ask(f"versions of op.{op}", lambda: _versions(op))
    since = max((version for version in versions if version <= opset), default=None)
    if since is None:
        return None
    answer = facts.ask(f"op.{op} of version {since}", lambda: _definition(op, since))
    known, found = _READ.get((op, since), (None, None))
    if known is not answer:
        found = _read(answer)
        _READ[op, since] = answer, found
    return found


_READ: dict[tuple[str, int], tuple[Mapping[str, Any], Definition]] = {}


def _read(answer: Mapping[str, Any]) -> Definition:
    formals = {
        side: tuple(Formal(**formal) for formal in answer[side]) for side in ("inputs", "outputs")
    }
    attributes = {name: Field(name, **field) for name, field in answer["attributes"].items()}
    return Definition(**{**answer, **formals, "attributes": attributes})


def is_op(name: str) -> bool:
    """Whether ONNX has, or once had, a standard op of this name."""
    if not name[:1].isupper():  # as all of theirs are
        return False
    return bool(facts.ask(f"versions of op.{name}", lambda: _versions(name)))


def others(op: str, opset: int) -> list[Definition]:
    """The op's other definitions that the exporters write: later ones first, then earlier ones, the
    nearest of each before the others.
    """
    from onnx import defs

    versions = [
        version
        for version in _versions(op)
        if version <= opsets.HIGHEST and not defs.get_schema(op, version, "").deprecated
    ]
    later = [version for version in versions if version > opset]
    earlier = [version for version in versions if version <= opset][:-1]
    found = (definition(op, version) for version in (*later, *reversed(earlier)))
    return [form for form in found if form is not None]


def _versions(op: str) -> list[int]:
    """The opsets at which the op came or changed."""
    return _all_versions().get(op, [])


@cache
def _all_versions() -> dict[str, list[int]]:
    from onnx import defs

    versions: dict[str, list[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            versions.setdefault(schema.name, []).append(schema.since_version)
    return {op: sorted(found) for op, found in versions.items()}


@cache
def _definition(op: str, since: int) -> dict[str, Any]:
    from onnx import defs

    found: Any = defs.get_schema(op, since, "")
    return {
        "name": found.name,
        "since_version": found.since_version,
        "deprecated": found.deprecated,
        "min_input": found.min_input,
        "max_input": found.max_input,
        "min_output": found.min_output,
        "max_output": found.max_output,
        "inputs": [_formal(formal) for formal in found.inputs],
        "outputs": [_formal(formal) for formal in found.outputs],
        "attributes": {
            name: {"type": field.type.name, "required": field.required}
            for name, field in sorted(found.attributes.items())
        },
        "types": {
            constraint.type_param_str: _element_types(constraint.allowed_type_strs)
            for constraint in found.type_constraints
        },
    }


def _element_types(types: Sequence[str]) -> list[str]:
    """The element types of the tensors among ONNX's types: FLOAT of ``tensor(float)``."""
    return [kind[len("tensor(") : -1].upper() for kind in types if kind.startswith("tensor(")]


def element_type(number: int) -> str | None:
    """The name of an element type by its number in ONNX's format; None where there is none."""
    name = facts.ask(f"element type {number}", lambda: _element_type(number))
    return None if name is None else str(name)


def _element_type(number: int) -> str | None:
    from onnx import TensorProto

    known = {number: name for name, number in TensorProto.DataType.items() if number}
    return known.get(number)


def _formal(formal: Any) -> dict[str, Any]:
    """What is said of an input or an output, without what most have in common."""
    found = asdict(Formal(formal.name, formal.type_str, formal.option.name, formal.is_homogeneous))
    common = asdict(Formal(formal.name, formal.type_str))
    return {
        key: value
        for key, value in found.items()
        if key in ("name", "type_str") or value != common[key]
    }


def usage(
    definition: Definition, inputs: Sequence[str] = (), attributes: Mapping[str, str] | None = None
) -> str:
    """A call of the op, as the mapping writes it: these inputs and attributes, and what else must
    be given.
    """
    formals, given = list(definition.inputs), dict(attributes or {})
    words = [*inputs, *(f.name for f in formals[len(inputs) : max(definition.min_input, 1)])]
    if formals and formals[-1].option == "Variadic" and not inputs:
        words.append("...")
    for name, field in sorted(definition.attributes.items()):
        if field.required and name not in given:
            given[name] = ATTRIBUTE_EXAMPLES.get(field.type, "...")
    words += [f"{name}={value}" for name, value in given.items()]
    return f"op.{definition.name}({', '.join(words)})"


def attribute_type(field: Field) -> str | None:
    """The type that the mapping's notation has for the attribute; None where it has none."""
    if field.type == "FLOATS":
        return "float[]"
    kind = ATTRIBUTE_TYPES.get(field.type.removesuffix("S"))
    return kind if kind is None or not field.type.endswith("S") else f"{kind}[]"


def bind(definition: Definition, inputs: list[tuple[ast.expr, Found]]) -> dict[str, ElementType]:
    """The element types of the op's type variables, as its tensor inputs settle them."""
    bound: dict[str, ElementType] = {}
    for index, (_, value) in enumerate(inputs):
        formal = formal_at(definition.inputs, index)
        if isinstance(value, Scalar | Unknown) or not formal.is_homogeneous:
            continue
        kind = type_of(value)
        if kind is not None:
            bound.setdefault(formal.type_str, kind)
    return bound


def bound_type(
    definition: Definition, formal: Formal, bound: dict[str, ElementType]
) -> ElementType | None:
    if formal.type_str in bound:
        return bound[formal.type_str]
    kinds = allowed(definition, formal)
    return ElementType(fixed=kinds[0]) if len(kinds) == 1 else None


def constant_type(
    definition: Definition, formal: Formal, bound: dict[str, ElementType], value: Found
) -> ElementType | None:
    """The element type for a number as an input: that of the tensors beside it, or one that the op
    takes there. None: the number's own.
    """
    kind = bound_type(definition, formal, bound)
    if kind is not None or not isinstance(value, Scalar):
        return kind
    kinds = allowed(definition, formal)
    if not kinds or natural_type(value).fixed in kinds:
        return None
    return ElementType(fixed="FLOAT" if "FLOAT" in kinds else kinds[0])


def allowed(definition: Definition, formal: Formal) -> list[str]:
    """The element types of the tensors that the op takes or gives there."""
    own = _element_types([formal.type_str])
    return definition.types.get(formal.type_str, own)


def formal_at(formals: Sequence[Formal], index: int) -> Formal:
    return formals[min(index, len(formals) - 1)]


ATTRIBUTE_TYPES = {"FLOAT": "float", "INT": "int", "STRING": "str"}


REPLACED = {
    "Upsample": "use op.Resize",
    "Scatter": "use op.ScatterElements",
    "GroupNormalization": "write opset = 21, or the formula",
}


def convert(value: Scalar, wanted: str) -> ast.expr | None:
    """The expression as an attribute of the wanted type; None where it would lose something."""
    if value.type == wanted or (value.type, wanted) == ("int[]", "float[]"):
        return value.node
    if isinstance(value.node, ast.List) and not value.node.elts and wanted.endswith("[]"):
        return value.node
    if isinstance(value.node, ast.Constant) and value.type == "int" and wanted == "float":
        return ast.Constant(float(value.node.value))  # type: ignore[arg-type]
    if (value.type, wanted) in {
        ("int", "float"),
        ("number", "float"),
        ("bool", "int"),
        ("bool", "float"),
    }:
        return ast.Call(ast.Name(wanted), [value.node], [])
    return None


def spoken(kind: str) -> str:
    one = {"FLOAT": "a float", "INT": "an integer", "STRING": "a string"}
    many = {"FLOATS": "a list of floats", "INTS": "a list of integers", "STRINGS": "strings"}
    return one.get(kind) or many.get(kind) or kind.lower()


def spoken_type(kind: str) -> str:
    """A type of `graph.Scalar` in words."""
    if kind.endswith("?"):
        return f"{spoken_type(kind[:-1])} or None"
    return f"a list of {_WORDS[kind[:-2]][1]}" if kind.endswith("[]") else _WORDS[kind][0]


_WORDS = {
    "float": ("a float", "floats"),
    "int": ("an integer", "integers"),
    "number": ("a number", "numbers"),
    "str": ("a string", "strings"),
    "bool": ("a boolean", "booleans"),
}


# Nodes of the same form that compute something else from an opset on, unless the attribute (None:
# left out) has one of the values: onnx.defs has this in prose alone.
_NEW_MEANING: dict[str, tuple[int, str, frozenset[str | None]]] = {
    "GridSample": (20, "mode", frozenset({None, '"nearest"'})),  # bilinear is called linear
    **{
        op: (13, "axis", frozenset({"-1"}))  # before, all axes from this one on are one
        for op in ("Hardmax", "LogSoftmax", "Softmax")
    },
    "RoiAlign": (16, "coordinate_transformation_mode", frozenset()),  # new, half a pixel further
}


def keeps_meaning(node: Node, first: int, last: int) -> bool:
    """Whether the node of opset ``first`` computes the same at ``last``."""
    if node.op not in _NEW_MEANING:
        return True
    opset, name, safe = _NEW_MEANING[node.op]
    given = {attribute.name: attribute.expression for attribute in node.attributes}
    return not first < opset <= last or given.get(name) in safe


def count_of(lowest: int, highest: int, what: str) -> str:
    if lowest == highest:
        return f"{lowest} {what}{'' if lowest == 1 else 's'}"
    if highest > 1000:
        return f"at least {lowest} {what}{'' if lowest == 1 else 's'}"
    return f"{lowest} to {highest} {what}s"


def first_opset(op: str) -> int | None:
    from onnx import defs

    versions = [
        schema.since_version
        for schema in defs.get_all_schemas_with_history()
        if schema.name == op and schema.domain == "" and not schema.deprecated
    ]
    return min(versions, default=None)


def names(opset: int) -> set[str]:
    """The ops that the opset, or one before it, has."""
    from onnx import defs

    return {
        schema.name
        for schema in defs.get_all_schemas_with_history()
        if schema.domain == "" and schema.since_version <= opset
    }


def nearest_op(op: str, opset: int) -> str:
    hint = did_you_mean(op, names(opset)).replace("did you mean ", "did you mean op.")
    return hint or "; write it with those at https://onnx.ai/onnx/operators"
