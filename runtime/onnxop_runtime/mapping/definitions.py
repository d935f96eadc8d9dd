"""The standard ops in ``onnx.defs``: inputs, attributes, element types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from onnx import TensorProto, defs

Formal = defs.OpSchema.FormalParameter
"""An input or output of an op, in ONNX's words."""

HIGHEST = 25
"""The highest opset that PyTorch's exporters write."""

FLOATS = frozenset(("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16"))
NUMBERS = FLOATS | {f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)} | {"BOOL"}
"""The element types of numbers in a mapping: those that PyTorch also has."""

ELEMENT_TYPES: dict[int, str] = {n: name for name, n in TensorProto.DataType.items() if n}
"""The names of ONNX's element types by their numbers."""

# String attributes that take any text.
_FREE = frozenset(("value_string", "equation", "pattern", "locale", "delimiter", "to"))


class Definition:
    """One version of an op: a copy of the parts of its schema.

    ``types``: the element types by type variable. ``attributes``: their types, such as INTS.
    ``required``: the names of required attributes. ``choices``: the values that a string attribute
    may have.
    """

    def __init__(self, schema: defs.OpSchema) -> None:
        self.name: str = schema.name
        self.deprecated: bool = schema.deprecated
        self.min_input, self.max_input = int(schema.min_input), int(schema.max_input)
        self.min_output, self.max_output = int(schema.min_output), int(schema.max_output)
        self.inputs: tuple[Formal, ...] = tuple(schema.inputs)
        self.outputs: tuple[Formal, ...] = tuple(schema.outputs)
        attributes = dict(sorted(schema.attributes.items()))
        self.attributes = {name: _attribute_type(a) for name, a in attributes.items()}
        self.required = {name for name, a in attributes.items() if a.required}
        self.types = {
            constraint.type_param_str: _element_types(constraint.allowed_type_strs)
            for constraint in schema.type_constraints
        }
        # Only the description names the values, outside parentheses.
        self.choices = {
            name: re.findall(r"\w+", re.sub(r"\([^)]*\)", "", a.description))
            for name, a in attributes.items()
            if self.attributes[name] == "STRING" and name not in _FREE
        }

    def input_at(self, index: int) -> Formal:
        """Return an input by its index; the last input repeats."""
        return self.inputs[min(index, len(self.inputs) - 1)]

    def output_at(self, index: int) -> Formal:
        """Return an output by its index; the last output repeats."""
        return self.outputs[min(index, len(self.outputs) - 1)]

    def allowed(self, formal: Formal) -> list[str]:
        """Return the element types of an input or output."""
        return self.types.get(formal.type_str) or _element_types([formal.type_str])

    def extends(self, other: Definition) -> bool:
        """Return whether every call of an older version is also valid in this one."""

        def signature(op: Definition) -> tuple[object, list[set[str]]]:
            formals = [*op.inputs[: len(other.inputs)], *op.outputs[: len(other.outputs)]]
            types = [formal.type_str for formal in formals]
            ports = [(f.name, f.option, types.index(f.type_str)) for f in formals]
            # Split without sizes needs num_outputs, though only ONNX's inference says so.
            is_counted = "num_outputs" in op.attributes
            needs = op.deprecated, op.required, op.min_input, op.min_output, is_counted
            return (needs, ports), [{*op.allowed(formal)} for formal in formals]

        (mine, new), (others, old) = signature(self), signature(other)
        is_more = self.attributes.items() >= other.attributes.items()
        return mine == others and is_more and all(map(set.issubset, old, new))

    def __str__(self) -> str:
        """Return a call as a mapping writes it: ``op.Softmax(input, axis=...)``."""
        inputs = [f"*{f.name}" if _is_variadic(f) else f.name for f in self.inputs]
        return f"op.{self.name}({', '.join([*inputs, *(f'{a}=...' for a in self.attributes)])})"


def _is_variadic(formal: Any) -> bool:
    return formal.option.name == "Variadic"  # type: ignore[no-any-return]


@cache
def versions() -> dict[str, list[int]]:
    """Return the versions of each standard op."""
    by_name: dict[str, list[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            by_name.setdefault(schema.name, []).append(schema.since_version)
    return {name: sorted(numbers) for name, numbers in by_name.items()}


@cache
def since(name: str, opset: int) -> int:
    """Return the version of an op at an opset; 0 if there is none."""
    return max((version for version in versions().get(name, ()) if version <= opset), default=0)


@cache
def definition(name: str, opset: int) -> Definition | None:
    """Return the definition of a standard op at an opset, or None if there is none."""
    version = since(name, opset)
    if 0 < version < opset:  # one definition serves all opsets of a version
        return definition(name, version)
    return Definition(defs.get_schema(name, version, "")) if version else None


@cache
def form(name: str, opset: int) -> int:
    """Return the oldest version of an op whose calls are valid at an opset: later ones only extend
    it.
    """
    version = since(name, opset)
    earlier = since(name, version - 1)
    old, new = definition(name, earlier), definition(name, version)
    return form(name, earlier) if old and new and new.extends(old) else version


def _attribute_type(attribute: Any) -> str:
    """Return the name of an attribute's type, such as INTS."""
    return str(attribute.type.name)


def option_of(formal: Any) -> str:
    """Return ``Single``, ``Optional`` or ``Variadic``."""
    return str(formal.option.name)


def _element_types(types: Sequence[str]) -> list[str]:
    """Return the element types of the tensor types: FLOAT for ``tensor(float)``."""
    return [name[len("tensor(") : -1].upper() for name in types if name.startswith("tensor(")]


def element_type(dtype: str) -> str:
    """Return ONNX's name of a PyTorch dtype."""
    return {"float32": "FLOAT", "float64": "DOUBLE"}.get(dtype, dtype.upper())
