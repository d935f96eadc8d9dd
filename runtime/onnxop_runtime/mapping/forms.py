"""A call of another opset's form → the same call in the form that this opset has.

What is an attribute of an op at one opset is an input at another: ``op.Squeeze(x, axes=[1])`` and
``op.Squeeze(x, [1])``.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .calls import RENAMED, usage
from .definitions import HIGHEST, Definition, definition, versions

_OLD_NAMES = {new: old for old, new in RENAMED.items()}


def remedy(of: Definition, opset: int, node: ast.Call) -> str:
    """Return what to write instead of a call whose number of inputs is wrong at the opset."""
    for other in _others(of.name, opset):
        given = _by_name(other, node)
        if given is None:
            continue
        if text := _call(of, given):
            return f"write {text}"
        if other.since_version > opset:
            return f"write opset = {other.since_version}"
    words = [ast.unparse(each) for each in node.args]
    attributes = {}
    extra = words[of.max_input :]
    names = sorted(of.required) or list(of.attributes)
    if len(extra) == len(names) and all(_is_plain(each) for each in node.args[of.max_input :]):
        attributes = dict(zip(names, extra, strict=True))
    if len(node.args) < of.min_input:  # a tensor by a name that the op does not know is an input
        known = {*of.attributes, *(formal.name for formal in of.inputs)}
        words += [
            ast.unparse(w.value) for w in node.keywords if w.arg not in known and _is_name(w.value)
        ]
    return f"write {usage(of, words, attributes)}"


def _others(name: str, opset: int) -> list[Definition]:
    """Return the op's other forms: later ones first, the nearest before the others."""
    found = [definition(name, version) for version in versions()[name] if version <= HIGHEST]
    forms = [form for form in found if form is not None and not form.deprecated]
    earlier = [form for form in forms if form.since_version <= opset][:-1]
    return [*(form for form in forms if form.since_version > opset), *reversed(earlier)]


def _by_name(form: Definition, node: ast.Call) -> dict[str, ast.expr] | None:
    """Return the values by the names that a form has for them; None where it does not take the call."""
    names = [formal.name for formal in form.inputs]
    is_variadic = bool(form.inputs) and form.inputs[-1].option == "Variadic"
    keywords = {word.arg or "": word.value for word in node.keywords}
    if (
        is_variadic
        or len(node.args) > len(names)
        or not keywords.keys() <= {*names, *form.attributes}
    ):
        return None
    given = dict(zip(names, node.args, strict=False))
    if given.keys() & keywords.keys():
        return None
    given |= keywords
    if any(formal.name not in given for formal in form.inputs[: form.min_input]):
        return None
    return {name: value for name, value in given.items() if not _is_none(value)}


def _call(of: Definition, given: dict[str, ast.expr]) -> str:
    """Return the call in this form; empty where it cannot hold the values."""
    values, words = dict(given), list[str]()
    for formal in of.inputs:
        name = formal.name if formal.name in values else _OLD_NAMES.get(formal.name, formal.name)
        value = values.pop(name, None)
        if value is None and formal.option != "Optional":
            return ""
        is_one = value is not None and formal.name == "K" and not isinstance(value, ast.List)
        words.append(
            "None" if value is None else f"[{ast.unparse(value)}]" if is_one else ast.unparse(value)
        )
    while words and words[-1] == "None":
        words.pop()
    for name, value in values.items():
        word = name if name in of.attributes else _OLD_NAMES.get(name, name)
        if word not in of.attributes or (_is_name(value) and name in _inputs_of(of)):
            return ""
        if (
            not of.attributes[word].endswith("S")
            and isinstance(value, ast.List)
            and len(value.elts) == 1
        ):
            value = value.elts[0]
        if _is_name(value) and name != word:
            return ""
        words.append(f"{word}={ast.unparse(value)}")
    if any(f"{name}=" not in " ".join(words) for name in of.required):
        return ""
    return f"op.{of.name}({', '.join(words)})"


def _inputs_of(of: Definition) -> set[str]:
    """Return the names that the op's inputs have in any of its forms."""
    forms = (definition(of.name, version) for version in versions()[of.name])
    return {formal.name for form in forms if form is not None for formal in form.inputs}


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)


def _is_plain(node: ast.expr) -> bool:
    return not any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(node))


__all__: Sequence[str] = ("remedy",)
