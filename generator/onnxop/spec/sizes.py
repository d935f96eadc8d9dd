"""The sizes of a sample's tensors: numbers, named numbers and arithmetic over the names."""

from __future__ import annotations

import ast
import keyword
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import Path, Problems, did_you_mean, listed, shown
from ..words import pyexpr
from ..words.pyexpr import ExpressionProblem, Source

MAX_DIMENSIONS = 16
MAX_ELEMENTS = 100_000_000
_MAX_SIZE = 10**18  # of one size, which may stand beside a 0
_NAMED = re.compile(r"(?P<name>[^\s=]+)\s*=(?P<value>[^=]*)")
_CHARACTERS = re.compile(r"[A-Za-z0-9_\s+\-*/%()]*")
_EXAMPLE = "(n + 1)//2"


@dataclass(frozen=True)
class Size:
    """A size as it is written at ``path``; its text starts ``offset`` characters into a string,
    or is TOML's own number where that is None. ``n=2`` is n and, as ``value``, what it defines.
    """

    source: Source
    node: ast.expr
    path: Path
    offset: int | None = None
    value: int | None = None

    def add(self, problems: Problems, message: str, node: ast.AST | None = None) -> None:
        """Notes a problem of the size, or of one part of it."""
        if self.offset is None:
            problems.add(self.path, message)
            return
        start = self.offset + (self.source.offset(node) if node else 0)
        length = self.source.length(node) if node else len(self.source.text)
        problems.add(self.path, message, offset=start, length=length)


def number(value: int, path: Path) -> Size:
    """A size that TOML gives as a number."""
    return Size(Source(""), ast.Constant(value), path)


def read_list(text: str, path: Path, start: int, problems: Problems) -> list[Size] | None:
    """The sizes between commas, the last of which may end with one; ``start`` is where the text
    stands in the string at ``path``.
    """
    parts = text.split(",")
    if not parts[-1].strip():
        parts.pop()
    if len(parts) > MAX_DIMENSIONS:
        note_large(path, problems)
        return None
    sizes: list[Size | None] = []
    for part in parts:
        sizes.append(read(part, path, start, problems))
        start += len(part) + 1
    found = [size for size in sizes if size is not None]
    return found if len(found) == len(sizes) else None


def read(text: str, path: Path, start: int, problems: Problems) -> Size | None:
    """The size in a text, or None once its problem is noted."""
    start += len(text) - len(text.lstrip())
    text = re.sub(r"\s", " ", text.strip())  # as long as before, and one line
    try:
        named = _NAMED.fullmatch(text)
        if named:
            return Size(Source(text), ast.Name(named["name"]), path, start, _value(named))
        return Size(Source(text), _parsed(text), path, start)
    except ExpressionProblem as problem:
        offset = start + problem.offset
        problems.add(path, problem.message, offset=offset, length=problem.length)
        return None


def _value(named: re.Match[str]) -> int:
    """The number behind a name and =."""
    name, text = named["name"], named["value"].strip()
    if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
        fact = f"{shown(name, 30)} is no name for a size; write n=2, say"
        raise ExpressionProblem(fact, 0, len(name))
    if not re.fullmatch("[0-9]{1,18}", text):
        fact = "a name is given to a number; write n=2, say"
        raise ExpressionProblem(fact, 0, len(named.group()))
    return int(text)


def _parsed(text: str) -> ast.expr:
    fact = f"{shown(text, 30)} is no size; write a number, n=2, or arithmetic such as {_EXAMPLE}"
    if not text:
        fact = "a size is missing beside the comma; remove the comma"
    # What is not among these characters, comments and strings say, need not reach the parser.
    if not text or not _CHARACTERS.fullmatch(text) or re.search("[0-9]{19}", text):
        raise ExpressionProblem(fact, 0, len(text))
    try:
        source, tree = pyexpr.parse_expression(text, _EXAMPLE)
    except ExpressionProblem as problem:
        told = problem.message if "more than" in problem.message else fact
        raise ExpressionProblem(told, 0, len(text)) from None
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            _check_form(node, source, fact)
    return tree


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def _check_form(node: ast.expr, source: Source, fact: str) -> None:
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return
        case ast.Name() | ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            return
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            return
        case ast.BinOp(op=ast.Div()):
            raise source.problem(node, "a size is an integer; divide with // instead of /")
        case _:
            raise ExpressionProblem(fact, 0, len(source.text))


def names(sizes: Iterable[Size], problems: Problems) -> dict[str, int]:
    """The value of each name that the sizes of one sample define."""
    found: dict[str, int] = {}
    for size in sizes:
        if size.value is not None and isinstance(size.node, ast.Name):
            name = size.node.id
            before = found.setdefault(name, size.value)
            if before != size.value:
                fact = f"{name} is {size.value} here, and {before} elsewhere in the sample"
                size.add(problems, f"{fact}; give it one value")
    return found


def uses(size: Size) -> set[str]:
    """The names in the size."""
    return {node.id for node in ast.walk(size.node) if isinstance(node, ast.Name)}


def text(size: Size) -> str:
    """The size as an expression; of ``n=2``, the name."""
    return ast.unparse(size.node)


def check_names(sizes: Iterable[Size], known: Iterable[str], problems: Problems) -> None:
    """Notes every name that no size of the sample defines."""
    known = sorted(known)
    for size in sizes:
        for node in ast.walk(size.node):
            if isinstance(node, ast.Name) and node.id not in known:
                hint = did_you_mean(node.id, known)
                hint = hint or (f"; its names: {listed(known)}" if known else "")
                hint = hint or f"; give one that name, as in {shown(node.id, 30)[1:-1]}=2"
                fact = f"no size of the sample is named {shown(node.id, 30)[1:-1]}"
                size.add(problems, f"{fact}{hint}", node)


def shape(
    sizes: Sequence[Size], values: Mapping[str, int], path: Path, problems: Problems, when: str = ""
) -> tuple[int, ...] | None:
    """The sizes with these values of the names, or None once it is noted what is wrong with them.

    ``when`` says which values these are, and stands before the fact in a message.
    """
    found: list[int] = []
    for size in sizes:
        try:
            value = _evaluate(size.node, values)
        except ZeroDivisionError:
            size.add(problems, f"{when}the size divides by 0; write another size")
            return None
        if not 0 <= value <= _MAX_SIZE:
            remedy = "sizes are 0 or more" if value < 0 else "write a smaller one"
            size.add(problems, f"{when}the size is {shown(value, 30)}; {remedy}")
            return None
        found.append(value)
    return tuple(found) if is_small(found, path, problems, when) else None


def is_small(shape: Sequence[int], path: Path, problems: Problems, when: str = "") -> bool:
    """Whether a tensor of that shape can be drawn; notes it where not."""
    if len(shape) <= MAX_DIMENSIONS and math.prod(shape) <= MAX_ELEMENTS:
        return True
    note_large(path, problems, when)
    return False


def note_large(path: Path, problems: Problems, when: str = "") -> None:
    problems.add(
        path,
        f"{when}the shape has more than {MAX_DIMENSIONS} dimensions or {MAX_ELEMENTS} elements; "
        "write a smaller one",
    )


def _evaluate(node: ast.expr, values: Mapping[str, int]) -> int:
    """The value of a size, whose form and names are checked."""
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=op, operand=operand):
            value = _evaluate(operand, values)
            return -value if isinstance(op, ast.USub) else value
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_evaluate(left, values), _evaluate(right, values))
        case _:
            raise TypeError(f"no size: {type(node).__name__}")
