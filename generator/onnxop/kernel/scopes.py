"""Where the names of a function's body belong: to its arguments, its locals, or to nothing of it."""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterable, Iterator
from types import CodeType


def free_names(code: CodeType) -> Iterator[tuple[str, int, int]]:
    """The names that Python's compiler takes for global, each with its line and column."""
    for instruction in dis.get_instructions(code):
        place = instruction.positions
        if instruction.opname == "LOAD_GLOBAL" and place is not None:
            yield instruction.argval, place.lineno or 0, place.col_offset or 0
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from free_names(constant)


def early_names(body: list[ast.stmt], arguments: Iterable[str]) -> Iterator[ast.Name]:
    """The locals that a statement reads and only a later one gives a value: what runs later, or again
    in a loop, is none of them.
    """
    stored = {name for statement in body for name in _stored(statement)}
    known = {*arguments}
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            yield from early_names(statement.body, parameters(statement))
        given = {*_stored(statement)}
        known |= given if hasattr(statement, "body") else set()  # in which order is not told
        yield from (name for name in _read(statement) if name.id in stored - known)
        known |= given


def parameters(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names of a function's parameters."""
    return frozenset(part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg))


def _stored(node: ast.AST) -> Iterator[str]:
    """What is given a value; comprehensions have names of their own."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name):
            yield name
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            pass
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _stored(child)


def _read(node: ast.AST) -> Iterator[ast.Name]:
    """What is read at once, but for comprehensions."""
    match node:
        case ast.Name(ctx=ast.Load()):
            yield node
        case ast.AugAssign(target=ast.Name() as target, value=value):
            yield target
            yield from _read(value)
        case ast.FunctionDef() | ast.Lambda():
            pass  # it is read where it is called
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            pass
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _read(child)
