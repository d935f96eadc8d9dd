"""A function of a model's own, and a call of it → a starter for an op that computes the same."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from .. import names, pyexpr
from ..check.load import parse
from ..errors import SpecError
from ..spec.tensors import Literal
from . import sample_values
from .starter import NoStarterError, Starter

_DOMAIN = "my_lib"
_TYPES: tuple[tuple[type, str], ...] = (
    (torch.Tensor, "Tensor"),
    (bool, "bool"),
    (int, "int"),
    (float, "float"),
    (str, "str"),
    (torch.dtype, "ScalarType"),
)
_LITERALS = bool | int | float | str | None
_CHECKS = {
    "composed": (
        "Made of PyTorch's operators, as its forward is: both exporters write what these are. Check: the",
        "schema. Its gradients are those of these operators, whatever its backward gives.",
    ),
    "node": (
        "Check: the schema, and the domain's name. Write compute() in the kernel, or a mapping where ONNX",
        "can say it, and backward where the model is trained with the op.",
    ),
}


def of_function(
    name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], results: Any
) -> Starter:
    """Return a starter for a function, called by its dotted name: its schema is of the call's types. Where
    PyTorch's operators compose it, they do the op; else a C++ kernel is to be written.

    Raises:
        NoStarterError: a schema has no type for what it is given, or gives.
    """
    home: Any = getattr(function, "__self__", None)
    is_class = isinstance(home, type)
    has_context = is_class and home.setup_context is torch.autograd.Function.setup_context
    called = home.forward if is_class else function
    given, defaults = _given(called, args, kwargs, has_context=has_context)
    word = names.snake(name.split(".")[-2 if is_class else -1]).removesuffix("_function")
    parameters = [_parameter(name, key, value, defaults) for key, value in given.items()]
    several = results if isinstance(results, tuple | list) else [results]
    if not all(isinstance(each, torch.Tensor) for each in several):
        raise NoStarterError(f"{name}: gives what is no tensor; an op gives tensors alone")
    gives = ", ".join(["Tensor"] * len(several))
    gives = f"({gives})" if isinstance(results, tuple | list) else gives
    schema = f"{_DOMAIN}::{word}({', '.join(parameters)}) -> {gives}"
    recorded = {
        key: sample_values.recorded(value) for key, value in given.items() if value is not None
    }
    held = {key: value for key, value in recorded.items() if value is not None}
    sample = sample_values.table(held) if len(held) == len(recorded) else ""
    proposals = {"node": f'domain = "{_DOMAIN}"\n\n[kernel]\nsource = "{word}.h"'}
    if body := _composed(called, has_context=has_context):
        composed = f"decomposed = true\n\n[kernel]\npython = '''\n{body}\n'''"
        proposals = {"composed": composed, **proposals}
    for origin, tables in proposals.items():
        notes = [f"A starter for {name}, from the types of one call.", *_CHECKS[origin]]
        lines = [
            *(f"# {note}" for note in notes),
            "",
            "[op]",
            f"schema = {sample_values.toml(Literal(repr(schema)))}",
            "",
        ]
        lines += ["[onnx]", tables, "", "# What the model gave it; more tables are more tests."]
        text = "\n".join([*lines, sample]).rstrip() + "\n"
        try:
            parse(text)
        except SpecError as error:
            problem = error.lines[0]
        else:
            return Starter(f"{_DOMAIN}::{word}", text, origin, is_proved=False)
    raise NoStarterError(f"{name}: there can be no spec of it: {problem}")


def _composed(function: Any, *, has_context: bool) -> str:
    """Return the statements of a function, without those that keep something for its backward; empty where
    there are none to read, or others need what is kept.
    """
    try:
        (found,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, TypeError, SyntaxError):
        return ""
    if not isinstance(found, ast.FunctionDef):
        return ""
    context = found.args.args[0].arg if has_context else "\0"
    statements = found.body[ast.get_docstring(found) is not None :]
    kept = [each for each in map(ast.unparse, statements) if not each.startswith(f"{context}.")]
    return "" if re.search(rf"\b{context}\b", "\n".join(kept)) else "\n".join(kept)


def _given(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], *, has_context: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments by name, those included that have a default, and the defaults: of a compiled function
    that tells none, x0, x1 and so on.
    """
    try:
        known = [*inspect.signature(function).parameters.values()][has_context:]
    except ValueError:
        known = _documented(function)
    single = [each for each in known if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    words = [each.name for each in single][: len(args)]
    words += [f"x{place}" for place in range(len(words), len(args))]
    defaults = {each.name: each.default for each in single if each.default is not each.empty}
    given = {**dict(zip(words, args, strict=True)), **kwargs}
    return {each.name: defaults.get(each.name) for each in single} | given, defaults


def _documented(function: Any) -> list[inspect.Parameter]:
    """Return the parameters that pybind11 writes into the first line of a docstring."""
    found: Any
    try:
        (found,) = ast.parse(f"def {str(function.__doc__).partition(chr(10))[0]}: 0").body
        for each in ast.walk(found):
            if isinstance(each, ast.arg):
                each.annotation = None
        stub = ast.fix_missing_locations(ast.Expression(ast.Lambda(found.args, ast.Constant(0))))
        return [*inspect.signature(eval(compile(stub, "", "eval"), {})).parameters.values()]
    except (SyntaxError, NameError, ValueError, AttributeError):
        return []


def _parameter(name: str, argument: str, value: Any, defaults: Mapping[str, Any]) -> str:
    """Return an argument in a schema."""
    default = defaults.get(argument, value)
    kind = _type(name, argument, default if value is None else value)
    kind = "float" if {type(value), type(default)} == {int, float} else kind
    kind += "?" * ((value is None or default is None) and kind[-1] != "?")
    literal = [*default] if isinstance(default, list | tuple) else default
    items = literal if isinstance(literal, list) else [literal]
    if argument not in defaults or not all(isinstance(each, _LITERALS) for each in items):
        return f"{kind} {argument}"
    return f"{kind} {argument}={pyexpr.string(literal) if isinstance(literal, str) else literal}"


def _type(name: str, argument: str, value: Any) -> str:
    """Return the type of an argument in a schema."""
    if value is None:
        return "Tensor?"
    is_list = isinstance(value, list | tuple)
    items = [*value] if is_list else [value]
    kinds = {next((word for kind, word in _TYPES if isinstance(item, kind)), "") for item in items}
    kinds -= {"int"} if kinds == {"int", "float"} else set()
    if len(kinds) != 1 or "" in kinds:
        raise NoStarterError(f"{name}: {argument} is {value!r}, of which a schema has no type")
    return f"{kinds.pop()}{'[]' * is_list}"
