"""What ``onnx.defs`` says of the standard ops: inputs, attributes, element types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Formal:
    """An input or output of an op; ``option`` is Single, Optional or Variadic."""

    name: str
    type_str: str
    option: str
    is_homogeneous: bool


@dataclass(frozen=True)
class Definition:
    """An op as it is since a version; ``types`` are the element types of its type variables,
    ``attributes`` the kinds of its attributes, such as INTS, ``required`` those that it needs, ``words``
    what those of text may be.
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
    attributes: dict[str, str]
    required: frozenset[str]
    types: dict[str, list[str]]
    words: dict[str, list[str]]

    def input_at(self, place: int) -> Formal:
        """Return the input at a place; further ones are the last one's."""
        return self.inputs[min(place, len(self.inputs) - 1)]

    def output_at(self, place: int) -> Formal:
        """Return the output at a place; further ones are the last one's."""
        return self.outputs[min(place, len(self.outputs) - 1)]

    def allowed(self, formal: Formal) -> list[str]:
        """Return the element types of the tensors that the op takes or gives there."""
        return self.types.get(formal.type_str) or _element_types([formal.type_str])

    def __str__(self) -> str:
        """Return a call as a mapping writes it: ``op.Softmax(input, axis=...)``."""
        words = [f"*{f.name}" if f.option == "Variadic" else f.name for f in self.inputs]
        return f"op.{self.name}({', '.join([*words, *(f'{a}=...' for a in self.attributes)])})"


@cache
def versions() -> dict[str, list[int]]:
    """Return the versions of each standard op."""
    found: dict[str, list[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            found.setdefault(schema.name, []).append(schema.since_version)
    return {name: sorted(numbers) for name, numbers in found.items()}


def definition(name: str, opset: int) -> Definition | None:
    """Return a standard op as it is at an opset, or None where there is none."""
    version = since(name, opset)
    return _definition(name, version) if version else None


@cache
def since(name: str, opset: int) -> int:
    """Return the version that an op has at an opset; 0 where there is none."""
    return max((version for version in versions().get(name, ()) if version <= opset), default=0)


@cache
def _definition(name: str, version: int) -> Definition:
    schema: Any = defs.get_schema(name, version, "")
    attributes = dict(sorted(schema.attributes.items()))
    return Definition(
        name=name,
        since_version=version,
        deprecated=schema.deprecated,
        min_input=schema.min_input,
        max_input=schema.max_input,
        min_output=schema.min_output,
        max_output=schema.max_output,
        inputs=tuple(map(_formal, schema.inputs)),
        outputs=tuple(map(_formal, schema.outputs)),
        attributes={key: value.type.name for key, value in attributes.items()},
        required=frozenset(key for key, value in attributes.items() if value.required),
        types={
            constraint.type_param_str: _element_types(constraint.allowed_type_strs)
            for constraint in schema.type_constraints
        },
        # They are in the prose alone, which has other words in brackets.
        words={
            key: re.findall(r"\w+", re.sub(r"\([^)]*\)", "", value.description))
            for key, value in attributes.items()
            if value.type.name == "STRING" and key not in _FREE
        },
    )


def _formal(formal: Any) -> Formal:
    return Formal(formal.name, formal.type_str, formal.option.name, formal.is_homogeneous)


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
