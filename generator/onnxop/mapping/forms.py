"""A call that is of another opset's form → the same call in the form that this opset has.

What is an attribute of an op at one opset is an input at another: ``op.Squeeze(x, axes=[1])`` and
``op.Squeeze(x, [1])``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from ..words import pyexpr
from . import onnxdefs
from .graph import Found, Omitted, Scalar, Unknown, is_list
from .onnxdefs import Definition

_RENAMED = {"k": "K", "value": "constant_value"}
_OLD_NAMES = {new: old for old, new in _RENAMED.items()}
Given = Mapping[str, tuple[ast.expr, Found]]


def remedy(
    definition: Definition,
    opset: int,
    inputs: Sequence[tuple[ast.expr, Found]],
    keywords: Given,
) -> str:
    """What to write instead of a call whose number of inputs is wrong at the opset."""
    for other in onnxdefs.others(definition.name, opset):
        given = _by_name(other, inputs, keywords)
        if given is None:
            continue
        if (text := _call(definition, given)) is not None:
            return f"write {text}"
        if other.since_version > opset:
            return f"write opset = {other.since_version}"
    return f"write {_usage(definition, inputs)}"


def _usage(definition: Definition, inputs: Sequence[tuple[ast.expr, Found]]) -> str:
    """A call with the inputs that are given, as far as the op takes them; those behind them may be
    meant for its attributes.
    """
    count = definition.max_input
    words = [pyexpr.item(place) for place, _ in inputs[:count]]
    extra = [(place, value) for place, value in inputs[count:] if isinstance(value, Scalar)]
    fields = [field for field in definition.attributes.values() if field.required]
    fields = fields or list(definition.attributes.values())
    attributes: dict[str, str] = {}
    if len(extra) == len(fields) == len(inputs[count:]):
        for field, (place, value) in zip(fields, extra, strict=True):
            kind = onnxdefs.attribute_type(field)
            if kind is not None and onnxdefs.convert(value, kind) is not None:
                attributes[field.name] = pyexpr.item(place)
    return onnxdefs.usage(definition, words, attributes)


def input_of(name: str, definition: Definition) -> str | None:
    """The input that the attribute of that name is now, where it is one."""
    new = _RENAMED.get(name)
    return new if any(formal.name == new for formal in definition.inputs) else None


def _by_name(
    form: Definition, inputs: Sequence[tuple[ast.expr, Found]], keywords: Given
) -> dict[str, tuple[ast.expr, Found]] | None:
    """The values by the names that this form has for them; None where it does not take the call."""
    names = [formal.name for formal in form.inputs]
    if form.inputs and form.inputs[-1].option == "Variadic" or len(inputs) > len(names):
        return None
    given = dict(zip(names, inputs, strict=False))
    if given.keys() & keywords.keys() or not keywords.keys() <= {*names, *form.attributes}:
        return None
    given |= keywords
    if any(formal.name not in given for formal in form.inputs[: form.min_input]):
        return None
    return {name: pair for name, pair in given.items() if not isinstance(pair[1], Omitted)}


def _call(definition: Definition, given: Given) -> str | None:
    """The call in this form, of the values as they are written; None where it cannot hold them."""
    values = dict(given)
    words: list[str] = []
    for formal in definition.inputs:
        name = formal.name if formal.name in values else _OLD_NAMES.get(formal.name, formal.name)
        node, value = values.pop(name, (ast.Constant(None), Omitted()))
        if isinstance(value, Omitted) and formal.option != "Optional":
            return None
        is_one = isinstance(value, Scalar) and not is_list(value) and formal.name == "K"
        words.append(pyexpr.item(ast.List([node]) if is_one else node))
    while words and words[-1] == "None":
        words.pop()
    for name, (node, value) in values.items():
        word = name if name in definition.attributes else _OLD_NAMES.get(name, name)
        field = definition.attributes.get(word)
        if field is None or not isinstance(value, Scalar | Unknown):
            return None
        if not field.type.endswith("S") and isinstance(node, ast.List) and len(node.elts) == 1:
            node = node.elts[0]
        words.append(f"{word}={pyexpr.item(node)}")
    missing = {name for name, field in definition.attributes.items() if field.required}
    if any(f"{name}=" not in " ".join(words) for name in missing):
        return None
    return f"op.{definition.name}({', '.join(words)})"
