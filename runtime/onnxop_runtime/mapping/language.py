"""A mapping's text → a function of ``op`` and the arguments, held to an allow-list."""

from __future__ import annotations

import ast
import linecache
import re
import warnings
from collections.abc import Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from . import allowed
from .problems import MappingError, Problem, error, span_here, span_of
from .running import Budget, Guards

_MAX_LENGTH = 10_000
_MAX_DEPTH = 60  # of a tree, which is walked recursively
FAILURES = (
    *(ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError),
    RecursionError,
)
"""What a mapping that runs may raise."""


@lru_cache(maxsize=1024)  # a text is checked, and then made a function
def read(
    text: str, parameters: tuple[str, ...] | None, filename: str
) -> tuple[ast.FunctionDef, Sequence[Problem], CodeType | None]:
    """Return the function that a mapping's text is, ``to_onnx(op, *parameters)``, with ``opset`` by name
    where the text asks for it, what it may not hold, and its code where it holds nothing of that;
    ``parameters`` are None where nobody knows them.

    Raises:
        MappingError: the text is no Python.
    """
    made = _function(text, parameters or ())
    problems = allowed.problems(made.body, parameters)
    if problems:
        return made, problems, None
    guarded = Guards().visit(_function(text, parameters or ()))
    module = ast.Module([guarded], type_ignores=[])
    try:
        with warnings.catch_warnings(action="ignore"):
            return made, (), compile(module, filename, "exec")
    except SyntaxError as problem:
        return made, _invalid(problem).problems, None


def _function(text: str, parameters: Sequence[str]) -> ast.FunctionDef:
    made: Any = ast.parse("def to_onnx(): pass").body[0]
    made.body = _parsed(text)
    made.args.args = [ast.arg(word) for word in dict.fromkeys(("op", *parameters))]
    names = {node.id for node in ast.walk(made) if isinstance(node, ast.Name)}
    if "opset" in names - {*parameters}:
        made.args.kwonlyargs, made.args.kw_defaults = [ast.arg("opset")], [None]
    found: ast.FunctionDef = ast.fix_missing_locations(made)
    return found


def _parsed(text: str) -> list[ast.stmt]:
    """Return the statements of a text, which may be indented as a whole, or one expression."""
    if len(text) > _MAX_LENGTH:
        raise error(f"has more than {_MAX_LENGTH} characters", "write a shorter one", ast.Pass())
    text = text.replace("\r\n", " \n").replace("\r", "\n").replace("\f", " ")
    is_indented = re.match(r"([ \t]*(#.*)?\n)*[ \t]+[^\s#]", text) is not None
    try:
        with warnings.catch_warnings(action="ignore"):
            body = ast.parse(f"if True:\n{text}" if is_indented else text).body
    except SyntaxError as problem:
        problem.lineno = (problem.lineno or 1) - is_indented
        raise _invalid(problem) from None
    except (ValueError, RecursionError, MemoryError):
        raise error("not readable: null characters, or nested too deeply", _EXAMPLE) from None
    if not body:
        raise error("empty", "write op.Add(a, b), say", ast.Pass())
    if is_indented:
        for statement in body:
            ast.increment_lineno(statement, -1)
        if len(body) > 1:
            raise error("indented less than the lines before", "align them", body[1])
        body = body[0].body  # type: ignore[attr-defined]
    level: list[ast.AST] = [*body]
    for _ in range(_MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    if level:
        fact = f"nested more than {_MAX_DEPTH} levels deep"
        raise error(fact, "write a flatter expression", ast.Pass())
    match body:
        case [ast.Expr(value=value) as line]:
            return [ast.copy_location(ast.Return(value), line)]
    return body


_EXAMPLE = "write Python, as in op.Add(a, b)"


def _invalid(problem: SyntaxError) -> MappingError:
    place = ast.Pass(lineno=problem.lineno or 1, col_offset=(problem.offset or 1) - 1)
    return error(f"not valid Python: {problem.msg}", _EXAMPLE, place)


def function(text: str, parameters: Sequence[str], *, filename: str = "<mapping>") -> Any:
    """Return the function that a mapping's text is. It runs nothing but what a mapping may hold, for
    numbers and lists of bounded sizes.

    Raises:
        MappingError: the text is no mapping.
    """
    tree, problems, code = read(text, tuple(parameters), filename)
    if code is None:
        raise MappingError(problems)
    budget = Budget()
    names = budget.names()
    exec(code, names)  # noqa: S102 - held to the allow-list
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    found = names[tree.name]
    found.tree, found.begin = tree, budget.begin
    return found


def located(problem: BaseException, to_onnx: Any) -> MappingError:
    """Return what is wrong with a mapping that raised, at the place in its text."""
    span = span_here(problem.__traceback__, to_onnx.__code__.co_filename)
    if isinstance(problem, MappingError):
        return problem.at(span)
    nodes = (node for node in ast.walk(to_onnx.tree) if isinstance(node, ast.expr))
    what = next((ast.unparse(node) for node in nodes if span_of(node) == span), "this")
    why = (str(problem).strip() or type(problem).__name__).replace("'Value' object", "a tensor")
    is_index = "a tensor is not subscriptable" in why
    remedy = "write op.Gather(x, 0, axis=0), say, or op.Slice" if is_index else ""
    return MappingError([Problem(f"{what} cannot be computed: {why}", remedy, span)])
