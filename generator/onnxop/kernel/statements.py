"""The statements of a composed kernel: which are allowed, and what they return."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..errors import listed
from ..words.pyexpr import ExpressionProblem, Source

_STATEMENTS = (
    ast.FunctionDef,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Assert,
    ast.Expr,
    ast.For,
    ast.If,
    ast.Pass,
    ast.Raise,
    ast.Return,
    ast.While,
    ast.Break,
    ast.Continue,
    ast.With,
)
_REMEDIES: dict[type[ast.AST], str] = {
    **dict.fromkeys(
        (ast.Import, ast.ImportFrom),
        "no import is needed; remove it: torch, math, F and the modules of requires are there",
    ),
    **dict.fromkeys(
        (ast.AsyncFunctionDef, ast.ClassDef),
        "this definition is not allowed within the kernel; write functions by def, without a class",
    ),
    **dict.fromkeys(
        (ast.Await, ast.Yield, ast.YieldFrom, ast.AsyncFor, ast.AsyncWith),
        "not allowed here; write a torch expression, such as 2 * a",
    ),
    ast.NamedExpr: "not allowed here; write an assignment on a line of its own",
}
_NO_TENSORS = (
    ast.Constant,
    ast.JoinedStr,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def statement_problems(
    source: Source, body: list[ast.stmt], wanted: tuple[str, ...]
) -> Iterator[ExpressionProblem]:
    parts = [node for statement in body for node in ast.walk(statement)]
    for part in parts:
        if isinstance(part, ast.FunctionDef):
            if part not in body:
                yield source.problem(
                    part,
                    "a function within another or within an if; define it at the outermost level",
                )
            elif part.decorator_list:
                yield source.problem(
                    part, "a decorator is not allowed within the kernel; remove it"
                )
        elif remedy := _REMEDIES.get(type(part)):
            yield source.problem(part, remedy)
        elif isinstance(part, ast.stmt) and not isinstance(part, _STATEMENTS):
            yield source.problem(
                part, "not allowed here; write expressions, assignments, if, for, raise and return"
            )
        elif isinstance(part, ast.Name) and part.id == "__debug__":  # false where nobody looks
            yield source.problem(part, "__debug__ has no place in a kernel; leave it out")
        elif isinstance(part, ast.Attribute) and part.attr.startswith("_"):
            yield source.problem(part, f"{part.attr} is private; use PyTorch's public functions")
        elif isinstance(part, ast.Return) and part.value is None:
            yield source.problem(part, "this returns nothing; write return 2 * a, say")
    # What a function returns may be anything.
    own = [node for s in body if not isinstance(s, ast.FunctionDef) for node in ast.walk(s)]
    yield from _result_problems(source, body, own, wanted)


def _result_problems(
    source: Source, body: list[ast.stmt], parts: list[ast.AST], wanted: tuple[str, ...]
) -> Iterator[ExpressionProblem]:
    """A kernel gives a tensor, or a tuple of as many as are wanted, whichever way it takes. Names
    of no results: how many is not known.
    """
    results = [part.value for part in parts if isinstance(part, ast.Return) and part.value]
    if len(body) == 1 and isinstance(body[0], ast.Expr):
        results.append(body[0].value)
    elif not _always_returns(body) or not any(isinstance(part, ast.Return) for part in parts):
        yield source.problem(body[-1], _no_return(body[-1]))
    for result in results:
        if isinstance(result, ast.Tuple) and len(wanted) != 1:
            yield from _tuple_problems(source, result, wanted)
        elif isinstance(result, _NO_TENSORS) and len(wanted) > 1:
            yield source.problem(
                result, f"the result is no tuple of tensors; write return {', '.join(wanted)}"
            )
        elif isinstance(result, _NO_TENSORS):
            yield source.problem(
                result, "the result is no tensor; write a torch expression, such as 2 * a"
            )


def _tuple_problems(
    source: Source, result: ast.Tuple, wanted: tuple[str, ...]
) -> Iterator[ExpressionProblem]:
    count = len(result.elts)
    is_open = not wanted or any(isinstance(item, ast.Starred) for item in result.elts)
    if count != len(wanted) and not is_open:
        yield source.problem(
            result,
            f"the kernel returns {count} result{'' if count == 1 else 's'}, but the schema "
            f"{len(wanted)} tensors ({listed(wanted)}); write return {', '.join(wanted)}",
        )
    for item in result.elts:
        if isinstance(item, _NO_TENSORS):
            yield source.problem(
                item, "the result is no tensor; write a torch expression, such as 2 * a"
            )


def _no_return(last: ast.stmt) -> str:
    if isinstance(last, ast.If) and any(isinstance(part, ast.Return) for part in ast.walk(last)):
        return "some ways through this if return nothing; write a last line that returns a result"
    return "the last line must return the result; write return 2 * a, say"


def _always_returns(body: list[ast.stmt]) -> bool:
    """Whether no way leads through the statements to their end."""
    for statement in body:
        match statement:
            case ast.Return() | ast.Raise():
                return True
            case ast.If(body=then, orelse=otherwise):
                if otherwise and _always_returns(then) and _always_returns(otherwise):
                    return True
            case ast.With(body=inner):
                if _always_returns(inner):
                    return True
    return False
