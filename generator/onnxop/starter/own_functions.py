"""A function of a model's own, and a call of it → a starter for an op that computes the same."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from .. import names
from ..check.load import parse
from ..errors import SpecError
from ..spec.tensors import SampleValue
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


def of_function(
    name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], results: Any
) -> Starter:
    """Return a starter for a function, called by its dotted name: its schema is of the call's types. Where
    PyTorch's operators compose it, so they do the op's reference.

    Raises:
        NoStarterError: a schema has no type for what it is given, or gives.
    """
    home: Any = getattr(function, "__self__", None)
    is_class = isinstance(home, type)
    has_context = is_class and home.setup_context is torch.autograd.Function.setup_context
    called = home.forward if is_class else function
    given = _given(called, args, kwargs, has_context=has_context)
    word = names.snake(name.split(".")[-2 if is_class else -1]).removesuffix("_function")
    parameters = [f"{_type(name, key, value)} {key}" for key, value in given.items()]
    several = results if isinstance(results, tuple | list) else [results]
    if not all(isinstance(each, torch.Tensor) for each in several):
        raise NoStarterError(f"{name}: gives what is no tensor; an op gives tensors alone")
    gives = ", ".join(["Tensor"] * len(several))
    gives = f"({gives})" if isinstance(results, tuple | list) else gives
    lines = [
        f"# A starter for {name}, from the types of one call.",
        "# Check: the schema, what has a default, and the domain's name. Write compute() in the kernel, or",
        "# a mapping where ONNX can say it, and backward where the model is trained with the op.",
        "",
        "[op]",
        f'schema = "{_DOMAIN}::{word}({", ".join(parameters)}) -> {gives}"',
        "",
        "[onnx]",
        f'domain = "{_DOMAIN}"',
        "",
        "[kernel]",
        f'source = "{word}.h"',
        "",
        "# What the model gave it; more tables are more tests.",
    ]
    recorded = {
        key: sample_values.recorded(value) for key, value in given.items() if value is not None
    }
    if all(recorded.values()):
        held: dict[str, SampleValue] = {k: v for k, v in recorded.items() if v is not None}
        lines.append(sample_values.table(held))
    text = "\n".join(lines) + "\n"
    source = f'source = "{word}.h"\n'
    body = _composed(called, has_context=has_context)
    reference = f"{source}# PyTorch's side, as forward has it: other devices, and gradients.\npython = '''\n{body}\n'''\n"
    problem = ""
    for each in (*[text.replace(source, reference)] * bool(body), text):
        try:
            parse(each)
        except SpecError as error:
            problem = error.lines[0]
        else:
            return Starter(f"{_DOMAIN}::{word}", each, "node", is_proved=False)
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
) -> dict[str, Any]:
    """Return the arguments by name: of a compiled function that tells none, x0, x1 and so on."""
    try:
        known = [*inspect.signature(function).parameters.values()][has_context:]
    except ValueError:
        known = []
    words = [each.name for each in known if each.kind is not each.VAR_POSITIONAL]
    words = words[: len(args)] + [f"x{place}" for place in range(len(words), len(args))]
    return {**dict(zip(words, args, strict=True)), **kwargs}


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
