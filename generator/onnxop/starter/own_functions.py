"""A model's own function, and a call of it → a starter for an op that computes the same."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from onnxop_runtime.messages import shown

from .. import names, pyexpr
from ..check.load import parse
from ..errors import InvalidSpecError
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
        "Its kernel is the code of forward, in PyTorch's operators, which both exporters export. Check: the",
        "schema. Gradients are those of these operators; the function's own backward is not used.",
    ),
    "node": (
        "Check: the schema, and the domain's name. Write compute() in the kernel, or a mapping if ONNX has",
        "the ops. If the model is trained with the op, write backward, too.",
    ),
}


def of_function(
    name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], results: Any
) -> Starter:
    """Return a starter for a function, by its dotted name, with the types of a call: composed if
    its code uses PyTorch's operators only, else a node with a kernel to write. Raise
    `NoStarterError` if a schema has no type for an argument or a result.
    """
    owner: Any = getattr(function, "__self__", None)
    is_class = isinstance(owner, type)
    has_context = is_class and owner.setup_context is torch.autograd.Function.setup_context
    called = owner.forward if is_class else function
    values, defaults = _arguments(called, args, kwargs, has_context=has_context)
    op = names.snake(name.split(".")[-2 if is_class else -1]).removesuffix("_function")
    parameters = [_parameter(name, key, value, defaults) for key, value in values.items()]
    several = results if isinstance(results, tuple | list) else [results]
    if not all(isinstance(result, torch.Tensor) for result in several):
        raise NoStarterError(f"{name}: returns a value other than a tensor, which an op cannot")
    returns = ", ".join(["Tensor"] * len(several))
    returns = f"({returns})" if isinstance(results, tuple | list) else returns
    schema = f"{_DOMAIN}::{op}({', '.join(parameters)}) -> {returns}"
    recorded = {k: sample_values.recorded(v) for k, v in values.items() if v is not None}
    writable = {key: value for key, value in recorded.items() if value is not None}
    sample = sample_values.table(writable) if len(writable) == len(recorded) else ""
    proposals = {"node": f'domain = "{_DOMAIN}"\n\n[kernel]\nsource = "{op}.h"'}
    if body := _composed(called, has_context=has_context):
        composed = f"decomposed = true\n\n[kernel]\npython = '''\n{body}\n'''"
        proposals = {"composed": composed, **proposals}
    for origin, tables in proposals.items():
        notes = [f"A starter for {name}, from the types of one call.", *_CHECKS[origin]]
        lines = [f"# {note}" for note in notes]
        lines += ["", "[op]", f"schema = {sample_values.toml(Literal(repr(schema)))}", ""]
        lines += ["[onnx]", tables, "", "# The model's call. Each [[samples]] table is a test."]
        text = "\n".join([*lines, sample]).rstrip() + "\n"
        try:
            parse(text)
            return Starter(f"{_DOMAIN}::{op}", text, origin, is_proved=False)
        except InvalidSpecError as error:
            problem = error.lines[0]
    raise NoStarterError(f"{name}: no spec can describe it: {problem}")


def _composed(function: Any, *, has_context: bool) -> str:
    """Return a function's statements without those that save something for backward; empty if
    there is no source, or another statement uses the context.
    """
    try:
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, TypeError, ValueError):  # ValueError: it has no source, or not of one function
        return ""
    if not isinstance(definition, ast.FunctionDef):
        return ""
    context = definition.args.args[0].arg if has_context else "\0"
    statements = map(ast.unparse, definition.body[ast.get_docstring(definition) is not None :])
    body = "\n".join(text for text in statements if not text.startswith(f"{context}."))
    return "" if re.search(rf"\b{context}\b", body) else body


def _arguments(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], *, has_context: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all arguments by name, and the defaults. Unknown names are x0, x1 and so on."""
    try:
        parameters = [*inspect.signature(function).parameters.values()][has_context:]
    except (TypeError, ValueError):
        parameters = _documented(function)
    single = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    by_place = [parameter.name for parameter in single][: len(args)]
    by_place += [f"x{place}" for place in range(len(by_place), len(args))]
    defaults = {p.name: p.default for p in single if p.default is not p.empty}
    passed = {**dict(zip(by_place, args, strict=True)), **kwargs}
    return {p.name: defaults.get(p.name) for p in single} | passed, defaults


def _documented(function: Any) -> list[inspect.Parameter]:
    """Return the parameters that pybind11 writes into the first line of a docstring. Run none of its text: a
    default that is no literal makes the parameters unknown.
    """
    text = function.__doc__
    if not isinstance(text, str):
        return []
    try:
        (definition,) = ast.parse(f"def {text.partition(chr(10))[0]}: 0").body
        assert isinstance(definition, ast.FunctionDef)
        return [*_parameters(definition.args)]
    except (SyntaxError, ValueError):
        return []


def _parameters(arguments: ast.arguments) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a definition. Raise ValueError if a default is no literal."""
    by_position = [*arguments.posonlyargs, *arguments.args]
    required = len(by_position) - len(arguments.defaults)
    defaults: list[ast.expr | None] = [*[None] * required, *arguments.defaults]
    for argument, default in zip(by_position, defaults, strict=True):
        yield _parameter_of(argument, default, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter_of(argument, default, inspect.Parameter.KEYWORD_ONLY)


def _parameter_of(argument: ast.arg, default: ast.expr | None, kind: Any) -> inspect.Parameter:
    value = inspect.Parameter.empty if default is None else ast.literal_eval(default)
    return inspect.Parameter(argument.arg, kind, default=value)


def _parameter(name: str, argument: str, value: Any, defaults: Mapping[str, Any]) -> str:
    """Return an argument in a schema."""
    default = defaults.get(argument, value)
    kind = _type(name, argument, default if value is None else value)
    kind = "float" if {type(value), type(default)} == {int, float} else kind
    kind += "?" * ((value is None or default is None) and kind[-1] != "?")
    literal = [*default] if isinstance(default, list | tuple) else default
    items = literal if isinstance(literal, list) else [literal]
    if argument not in defaults or not all(isinstance(item, _LITERALS) for item in items):
        return f"{kind} {argument}"
    return f"{kind} {argument}={pyexpr.string(literal) if isinstance(literal, str) else literal}"


def _type(name: str, argument: str, value: Any) -> str:
    """Return the type of an argument in a schema."""
    if value is None:
        return "Tensor?"
    is_list = isinstance(value, list | tuple)
    items = [*value] if is_list else [value]
    kinds = {next((name for kind, name in _TYPES if isinstance(item, kind)), "") for item in items}
    kinds -= {"int"} if kinds == {"int", "float"} else set()
    if len(kinds) != 1 or "" in kinds:
        raise NoStarterError(
            f"{name}: {argument} is {shown(value)}, for which schemas have no type"
        )
    return f"{kinds.pop()}{'[]' * is_list}"
