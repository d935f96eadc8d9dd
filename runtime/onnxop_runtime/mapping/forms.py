"""A call of another opset's form → the same call in the form that this opset has.

What is an attribute of an op at one opset is an input at another: ``op.Squeeze(x, axes=[1])`` and
``op.Squeeze(x, [1])``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from .calls import RENAMED, usage
from .definitions import HIGHEST, Definition, definition, versions

_RENAMED = RENAMED | {new: old for old, new in RENAMED.items()}


def remedy(of: Definition, opset: int, node: ast.Call) -> str:
    """Return what to write instead of a call whose number of inputs is wrong at the opset."""
    keywords = {word.arg: word.value for word in node.keywords if word.arg}
    found = [definition(of.name, version) for version in versions()[of.name] if version <= HIGHEST]
    later = [form for form in found if form is not None and form.since_version > opset]
    earlier = [form for form in found if form is not None and form.since_version < of.since_version]
    for form in (*later, *reversed(earlier)):
        names = [formal.name for formal in form.inputs]
        given = dict(zip(names, node.args, strict=False)) | keywords
        is_taken = len(node.args) <= len(names) and given.keys() <= {*names, *form.attributes}
        if not is_taken or not given.keys() >= {*names[: form.min_input]}:
            continue
        if text := _written(of, given, {*keywords}):
            return f"write {text}"
        if form in later:
            return f"write opset = {form.since_version}"
    inputs = [ast.unparse(each) for each in node.args]
    extra, required = inputs[of.max_input :], sorted(of.required)
    own = dict(zip(required, extra, strict=True)) if len(extra) == len(required) else {}
    return f"write {usage(of, inputs, own)}"


def _written(of: Definition, given: Mapping[str, ast.expr], by_name: set[str]) -> str:
    """Return the call in this form; empty where it cannot hold the values."""
    names = [formal.name for formal in of.inputs]
    inputs, attributes = dict.fromkeys(names, "None"), dict[str, str]()
    for name, value in given.items():
        word = name if name in (*names, *of.attributes) else _RENAMED.get(name, name)
        text = ast.unparse(value)
        is_one = isinstance(value, ast.List) and len(value.elts) == 1
        if word in names:
            inputs[word] = f"[{text}]" if word == "K" and not isinstance(value, ast.List) else text
        elif word not in of.attributes or (isinstance(value, ast.Name) and name not in by_name):
            return ""  # a tensor is no attribute
        elif text != "None":
            attributes[word] = (
                text[1:-1] if is_one and not of.attributes[word].endswith("S") else text
            )
    while inputs and inputs[names[-1]] == "None":
        del inputs[names.pop()]
    return usage(of, [*inputs.values()], attributes) if of.required <= attributes.keys() else ""
