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
from onnxop_runtime.specs import pyexpr
from onnxop_runtime.specs.tensors import Literal

from .. import names
from ..check.load import parse
from ..errors import InvalidSpecError
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
        (
            "Its kernel is the code of forward, in PyTorch's operators, which both exporters "
            "export. Check: the"
        ),
        "schema. Gradients are those of these operators; the function's own backward is not used.",
    ),
    "node": (
        (
            "Check: the schema, and the domain's name. Write compute() in the kernel, or a "
            "mapping if ONNX has"
        ),
        "the ops. If the model is trained with the op, write backward, too.",
    ),
}


def of_function(
    name: str,
    function: object,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    results: object,
) -> Starter:
    """Return a starter for a function, by its dotted name, with the types of a call: composed if
    its code uses PyTorch's operators only, else a node with a kernel to write. Raise
    `NoStarterError` if a schema has no type for an argument or a result.
    """
    owner: Any = getattr(function, "__self__", None)
    is_class = isinstance(owner, type)
    has_context = is_class and owner.setup_context is torch.autograd.Function.setup_context
    definition = owner.forward if is_class else function
    values, defaults = _arguments(definition, args, kwargs, has_context=has_context)
    op = names.snake(name.split(".")[-2 if is_class else -1]).removesuffix("_function")
    parameters = [_parameter(name, key, value, defaults) for key, value in values.items()]
    schema = f"{_DOMAIN}::{op}({', '.join(parameters)}) -> {_returns(name, results)}"
    tables = {"node": f'domain = "{_DOMAIN}"\n\n[kernel]\nsource = "{op}.h"'}
    if body := _body_of_forward(definition, has_context=has_context):
        composed = f"decomposed = true\n\n[kernel]\npython = '''\n{body}\n'''"
        tables = {"composed": composed, **tables}
    for origin, tables_of_origin in tables.items():
        text = _text(name, origin, schema, tables_of_origin, _sample(values))
        try:
            parse(text)
            return Starter(f"{_DOMAIN}::{op}", text, origin, is_proved=False)
        except InvalidSpecError as error:
            problem = error.lines[0]
    raise NoStarterError(f"{name}: no spec can describe it: {problem}")


def _returns(name: str, results: Any) -> str:
    """Return the results in a schema. Raise `NoStarterError` if one is no tensor."""
    is_sequence = isinstance(results, tuple | list)
    tensors = results if is_sequence else [results]
    if not all(isinstance(tensor, torch.Tensor) for tensor in tensors):
        raise NoStarterError(f"{name}: returns a value other than a tensor, which an op cannot")
    returns = ", ".join("Tensor" for _ in tensors)
    return f"({returns})" if is_sequence else returns


def _sample(values: Mapping[str, object]) -> str:
    """Return the table of a sample with the values of a call; empty if TOML cannot write one."""
    recorded = {k: sample_values.recorded(v) for k, v in values.items() if v is not None}
    writable = {key: value for key, value in recorded.items() if value is not None}
    return sample_values.table(writable) if len(writable) == len(recorded) else ""


def _text(name: str, origin: str, schema: str, tables: str, sample: str) -> str:
    """Return a spec for a function: ``tables`` are those from ``[onnx]`` on."""
    notes = [f"A starter for {name}, from the types of one call.", *_CHECKS[origin]]
    lines = [f"# {note}" for note in notes]
    lines += ["", "[op]", f"schema = {sample_values.toml(Literal(repr(schema)))}", ""]
    lines += ["[onnx]", tables, "", "# The model's call. Each [[samples]] table is a test."]
    return "\n".join([*lines, sample]).rstrip() + "\n"


def _body_of_forward(function: Any, *, has_context: bool) -> str:
    """Return a function's statements without those that save something for backward; empty if
    there is no source, or another statement uses the context.
    """
    try:
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, TypeError, ValueError):  # ValueError: it has no source, or not of one function
        return ""
    if not isinstance(definition, ast.FunctionDef):
        return ""
    statements = definition.body
    if ast.get_docstring(definition) is not None:
        statements = statements[1:]
    texts = [*map(ast.unparse, statements)]
    if not has_context:
        return "\n".join(texts)
    context = definition.args.args[0].arg
    body = "\n".join(text for text in texts if not text.startswith(f"{context}."))
    return "" if re.search(rf"\b{context}\b", body) else body


def _arguments(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], *, has_context: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all arguments by name, and the defaults. Unknown names are x0, x1 and so on."""
    try:
        parameters = [*inspect.signature(function).parameters.values()]
        if has_context:
            parameters = parameters[1:]
    except (TypeError, ValueError):
        parameters = _parameters_in_docstring(function)
    single = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    positional = [parameter.name for parameter in single][: len(args)]
    positional += [f"x{index}" for index in range(len(positional), len(args))]
    defaults = {p.name: p.default for p in single if p.default is not p.empty}
    passed = {**dict(zip(positional, args, strict=True)), **kwargs}
    return {p.name: defaults.get(p.name) for p in single} | passed, defaults


def _parameters_in_docstring(function: object) -> list[inspect.Parameter]:
    """Return the parameters that pybind11 writes into the first line of a docstring. Run none of
    its text: a default that is no literal makes the parameters unknown.
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
    required = by_position[: len(by_position) - len(arguments.defaults)]
    defaults: list[ast.expr | None] = [*(None for _ in required), *arguments.defaults]
    for argument, default in zip(by_position, defaults, strict=True):
        yield _parameter_of(argument, default, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter_of(argument, default, inspect.Parameter.KEYWORD_ONLY)


def _parameter_of(
    argument: ast.arg, default: ast.expr | None, parameter_kind: Any
) -> inspect.Parameter:
    value = inspect.Parameter.empty if default is None else ast.literal_eval(default)
    return inspect.Parameter(argument.arg, parameter_kind, default=value)


def _parameter(name: str, argument: str, value: object, defaults: Mapping[str, object]) -> str:
    """Return an argument in a schema."""
    default = defaults.get(argument, value)
    type_ = _type(name, argument, default if value is None else value)
    if {type(value), type(default)} == {int, float}:
        type_ = "float"
    if (value is None or default is None) and not type_.endswith("?"):
        type_ += "?"
    literal = [*default] if isinstance(default, list | tuple) else default
    items = literal if isinstance(literal, list) else [literal]
    if argument not in defaults or not all(isinstance(item, _LITERALS) for item in items):
        return f"{type_} {argument}"
    text = pyexpr.string(literal) if isinstance(literal, str) else str(literal)
    return f"{type_} {argument}={text}"


def _type(name: str, argument: str, value: Any) -> str:
    """Return the type of an argument in a schema."""
    if value is None:
        return "Tensor?"
    is_list = isinstance(value, list | tuple)
    items = [*value] if is_list else [value]
    types = {_type_of_item(item) for item in items}
    if types == {"int", "float"}:
        types = {"float"}
    if len(types) != 1 or "" in types:
        raise NoStarterError(
            f"{name}: {argument} is {shown(value)}, for which schemas have no type"
        )
    (type_,) = types
    return f"{type_}[]" if is_list else type_


def _type_of_item(item: object) -> str:
    """Return the type of a value in a schema, or an empty string."""
    return next((name for python_type, name in _TYPES if isinstance(item, python_type)), "")
