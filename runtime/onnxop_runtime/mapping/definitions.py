"""What ``onnx.defs`` says of the standard ops: inputs, attributes, element types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from onnx import TensorProto, defs

HIGHEST = 25
"""The highest opset that PyTorch's exporters write."""

FLOATS = frozenset(("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16"))
NUMBERS = FLOATS | {f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)} | {"BOOL"}
"""The element types that a number in a mapping can have: those that PyTorch has, too."""

# The attributes of text that are no choice of words.
_FREE = frozenset(("value_string", "equation", "pattern", "locale", "delimiter", "to"))


class Definition:
    """An op as it is since a version: its schema, whose parts are copied where they are read.

    ``types`` are the element types of its type variables, ``attributes`` the kinds of its attributes, such
    as INTS, ``required`` those that it needs, ``words`` what those of text may be.
    """

    def __init__(self, schema: Any) -> None:
        self.name: str = schema.name
        self.deprecated: bool = schema.deprecated
        self.min_input, self.max_input = int(schema.min_input), int(schema.max_input)
        self.min_output, self.max_output = int(schema.min_output), int(schema.max_output)
        self.inputs, self.outputs = tuple(schema.inputs), tuple(schema.outputs)
        attributes = dict(sorted(schema.attributes.items()))
        self.attributes = {name: str(each.type.name) for name, each in attributes.items()}
        self.required = {name for name, each in attributes.items() if each.required}
        self.types = {
            each.type_param_str: _element_types(each.allowed_type_strs)
            for each in schema.type_constraints
        }
        # They are in the prose alone, which has other words in brackets.
        self.words = {
            name: re.findall(r"\w+", re.sub(r"\([^)]*\)", "", each.description))
            for name, each in attributes.items()
            if self.attributes[name] == "STRING" and name not in _FREE
        }

    def input_at(self, place: int) -> Any:
        """Return the input at a place; further ones are the last one's."""
        return self.inputs[min(place, len(self.inputs) - 1)]

    def output_at(self, place: int) -> Any:
        """Return the output at a place; further ones are the last one's."""
        return self.outputs[min(place, len(self.outputs) - 1)]

    def allowed(self, formal: Any) -> list[str]:
        """Return the element types of the tensors that the op takes or gives there."""
        return self.types.get(formal.type_str) or _element_types([formal.type_str])

    def extends(self, other: Definition) -> bool:
        """Return whether the calls of another version are calls of this one, which takes more element types at
        most, and has more inputs, outputs and attributes that may be left out.
        """

        def shape(of: Definition) -> tuple[object, list[set[str]]]:
            formals = [*of.inputs[: len(other.inputs)], *of.outputs[: len(other.outputs)]]
            types = [formal.type_str for formal in formals]
            ports = [(f.name, f.option, types.index(f.type_str)) for f in formals]
            # Split needs it where no sizes are given, though nothing but its inference says so.
            is_counted = "num_outputs" in of.attributes
            needs = of.deprecated, of.required, of.min_input, of.min_output, is_counted
            return (needs, ports), [{*of.allowed(formal)} for formal in formals]

        (mine, new), (others, old) = shape(self), shape(other)
        is_more = self.attributes.items() >= other.attributes.items()
        return mine == others and is_more and all(map(set.issubset, old, new))

    def __str__(self) -> str:
        """Return a call as a mapping writes it: ``op.Softmax(input, axis=...)``."""
        inputs = [f"{'*' * (f.option.name == 'Variadic')}{f.name}" for f in self.inputs]
        return f"op.{self.name}({', '.join([*inputs, *(f'{a}=...' for a in self.attributes)])})"


@cache
def versions() -> dict[str, list[int]]:
    """Return the versions of each standard op."""
    found: dict[str, list[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            found.setdefault(schema.name, []).append(schema.since_version)
    return {name: sorted(numbers) for name, numbers in found.items()}


@cache
def since(name: str, opset: int) -> int:
    """Return the version that an op has at an opset; 0 where there is none."""
    return max((version for version in versions().get(name, ()) if version <= opset), default=0)


def definition(name: str, opset: int) -> Definition | None:
    """Return a standard op as it is at an opset, or None where there is none."""
    return _definition(name, since(name, opset))


@cache
def _definition(name: str, version: int) -> Definition | None:
    return Definition(defs.get_schema(name, version, "")) if version else None


@cache
def form(name: str, opset: int) -> int:
    """Return the version since which an op is as at an opset, but that it takes more element types."""
    version = since(name, opset)
    earlier = since(name, version - 1)
    old, new = _definition(name, earlier), _definition(name, version)
    return form(name, earlier) if old and new and new.extends(old) else version


def _element_types(types: Sequence[str]) -> list[str]:
    """Return the element types of the tensors among ONNX's types: FLOAT of ``tensor(float)``."""
    return [kind[len("tensor(") : -1].upper() for kind in types if kind.startswith("tensor(")]


@cache
def element_types() -> dict[int, str]:
    """Return the names of ONNX's element types by their numbers."""
    return {number: name for name, number in TensorProto.DataType.items() if number}


def element_type(dtype: str) -> str:
    """Return ONNX's name of one of PyTorch's dtypes."""
    return {"float32": "FLOAT", "float64": "DOUBLE"}.get(dtype, dtype.upper())
