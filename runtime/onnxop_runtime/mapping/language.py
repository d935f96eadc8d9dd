"""A mapping's text → a function of ``op`` and the arguments, held to an allow-list."""

from __future__ import annotations

import ast
import copy
import linecache
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from . import allowed, running
from .problems import MappingError, Problem, Span, error, place_of, span_at, span_of, within
from .recovering import Attempts
from .syntax import instead
from .values import NO_CONDITION, NO_OPERATOR

MAX_LENGTH = 10_000
_MAX_DEPTH = 60  # of a tree, which is walked recursively


def parsed(text: str, example: str = "op.Add(a, b)") -> list[ast.stmt]:
    """Return the statements of a text, which may be indented as a whole; lines count from 1.

    Raises:
        MappingError: it is not Python, or too long or too deep.
    """
    if len(text) > MAX_LENGTH:
        raise error(f"has more than {MAX_LENGTH} characters", "write a shorter one", ast.Pass())
    if "\0" in text:
        raise error("holds a null character", f"write Python, as in {example}", ast.Pass())
    text = text.replace("\r\n", " \n").replace("\r", "\n").replace("\f", " ")
    first = next((line for line in text.split("\n") if re.match(r"\s*[^\s#]", line)), "")
    is_indented = first[:1].isspace()
    try:
        with warnings.catch_warnings(action="ignore"):
            module = ast.parse(f"if True:\n{text}" if is_indented else text)
    except SyntaxError as problem:
        place = ast.Pass(
            lineno=(problem.lineno or 1) - is_indented, col_offset=(problem.offset or 1) - 1
        )
        words = re.sub(r" (\(detected at|on) line \d+\)?", "", problem.msg)
        fact = "not valid Python" if words == "invalid syntax" else f"not valid Python: {words}"
        raise error(fact, f"write Python, as in {example}", place) from None
    except (ValueError, RecursionError, MemoryError):
        raise error("nested too deeply", f"write it as flat as {example}", ast.Pass()) from None
    body = module.body
    if is_indented:
        ast.increment_lineno(module, -1)
        if len(body) > 1:
            raise error("indented less than the lines before", "align them", body[1])
        body = body[0].body  # type: ignore[attr-defined]
    _check_depth(body)
    return body


def _check_depth(body: Sequence[ast.AST]) -> None:
    pending = [(node, node, 1) for node in body]
    while pending:
        node, place, depth = pending.pop()
        if depth > _MAX_DEPTH:
            fact = f"nested more than {_MAX_DEPTH} levels deep"
            raise error(fact, "write a flatter expression", place)
        for child in ast.iter_child_nodes(node):
            pending.append((child, child if hasattr(child, "lineno") else place, depth + 1))


def read(
    text: str, parameters: Sequence[str], *, is_open: bool = False
) -> tuple[ast.FunctionDef, list[Problem]]:
    """Return the function that a mapping's text is, ``to_onnx(op, *parameters)``, with ``opset`` by name
    where the text asks for it, and what it may not hold.

    Args:
        text: the mapping.
        parameters: the arguments of the operator.
        is_open: whether these are not known, so that any name may be one.

    Raises:
        MappingError: the text is no Python.
    """
    body = parsed(text)
    problems = allowed.problems(body, parameters, is_open=is_open)
    if len(body) == 1 and isinstance(body[0], ast.Expr):
        body = [ast.copy_location(ast.Return(body[0].value), body[0])]
    asks = any(
        isinstance(part, ast.Name) and part.id == "opset" for s in body for part in ast.walk(s)
    )
    words = [ast.arg("opset")] if asks and "opset" not in parameters else []
    arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(word) for word in ("op", *parameters)],
        kwonlyargs=words,
        kw_defaults=[None] * len(words),
        defaults=[],
    )
    made = ast.FunctionDef("to_onnx", arguments, body, [], lineno=1, col_offset=0)
    made.type_params = []  # type: ignore[attr-defined,unused-ignore]
    return ast.fix_missing_locations(made), problems


def function(text: str, parameters: Sequence[str], *, filename: str = "<mapping>") -> Any:
    """Return the function that a mapping's text is. It runs nothing but what a mapping may hold, for
    numbers and lists of bounded sizes.

    Raises:
        MappingError: the text is no mapping.
    """
    tree, problems = read(text, parameters)
    if problems:
        raise MappingError(problems)
    made = running.guarded(copy.deepcopy(tree))
    module = ast.Module([made], type_ignores=[])
    attempts = Attempts()
    names = running.names(attempts)
    exec(compile(module, filename, "exec"), names)  # noqa: S102 - held to the allow-list
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    found = names[made.name]
    found.tree, found.attempts = tree, attempts
    return found


def located(problem: BaseException, to_onnx: Any) -> MappingError:
    """Return what is wrong with a mapping that raised, at the place in its text."""
    span = span_at(place_of(problem.__traceback__, to_onnx.__code__.co_filename))
    if not isinstance(problem, MappingError):
        words = str(problem).strip() or type(problem).__name__
        fact = f"{_text_at(span, to_onnx.tree)} cannot be computed: {words}"
        return error(fact, is_of_value=True).at(span)
    return MappingError(narrowed(each, to_onnx.tree) for each in problem.at(span).problems)


def narrowed(problem: Problem, tree: ast.FunctionDef) -> Problem:
    """Return a problem at the part of a call that it is about, and of an operator on tensors with a remedy
    in the mapping's own words.
    """
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr) or span_of(node) != problem.span:
            continue
        if isinstance(node, ast.Call) and problem.part is not None:
            return within(problem, node)
        if problem.fact not in (NO_OPERATOR, NO_CONDITION):
            continue
        if text := instead(node):
            return replace(problem, fact=NO_OPERATOR, remedy=f"write {text}")
        if isinstance(node, ast.BoolOp | ast.Compare) and problem.fact == NO_CONDITION:
            return replace(problem, fact=NO_OPERATOR, remedy="write it with op.<Name>(...)")
    return problem


def _text_at(span: Span | None, tree: ast.FunctionDef) -> str:
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.expr))
    return next((ast.unparse(node) for node in nodes if span_of(node) == span), "the mapping")
