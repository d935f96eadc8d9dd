"""The sizes of a sample's tensors: numbers, named numbers and arithmetic over the names."""

from __future__ import annotations

import ast
import keyword
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ..errors import Path, Problems, did_you_mean, shown
from ..pyexpr import ExpressionProblem, parse_expression

MAX_DIMENSIONS = 16
MAX_ELEMENTS = 100_000_000
_MAX_SIZE = 10**18  # of one size, which may stand beside a 0
_NAMED = re.compile(r"(?P<name>[A-Za-z_]\w*) *= *(?P<value>[0-9]{1,18})")
_ARITHMETIC = re.compile(r"[A-Za-z0-9_ +\-*/%()]+")
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


@dataclass(frozen=True)
class Size:
    """A size as it is written at ``path``; its text starts ``offset`` characters into a string,
    or is TOML's own number where that is None. ``n=2`` is n and, as ``value``, what it defines.
    """

    node: ast.expr
    path: Path
    offset: int | None = None
    length: int = 1
    value: int | None = None

    @property
    def text(self) -> str:
        """The size as an expression; of ``n=2``, the name."""
        return ast.unparse(self.node)

    @property
    def names(self) -> set[str]:
        return {node.id for node in ast.walk(self.node) if isinstance(node, ast.Name)}

    def add(self, problems: Problems, message: str) -> None:
        problems.add(self.path, message, offset=self.offset, length=self.length)


def read(text: str, path: Path, start: int, problems: Problems) -> Size | None:
    """The size in a text, or None once its problem is noted."""
    offset = start + len(text) - len(text.lstrip())
    text = re.sub(r"\s", " ", text.strip())
    length = max(len(text), 1)
    named = _NAMED.fullmatch(text)
    if named and not keyword.iskeyword(named["name"]):
        return Size(ast.Name(named["name"]), path, offset, length, int(named["value"]))
    if _ARITHMETIC.fullmatch(text) and not re.search("[0-9]{19}", text):
        with suppress(ExpressionProblem, _NoSizeError):
            _, node = parse_expression(text)
            with suppress(ZeroDivisionError):  # as it may with other values
                _evaluate(node, {n.id: 1 for n in ast.walk(node) if isinstance(n, ast.Name)})
            return Size(node, path, offset, length)
    fact = f"{shown(text, 30)} is no size; write a number, n=2, or arithmetic such as (n + 1)//2"
    problems.add(path, fact, offset=offset, length=length)
    return None


def read_list(text: str, path: Path, start: int, problems: Problems) -> list[Size] | None:
    """The sizes between commas, the last of which may end with one; ``start`` is where the text
    stands in the string at ``path``.
    """
    parts = text.split(",")
    if not parts[-1].strip():
        parts.pop()
    sizes: list[Size | None] = []
    for part in parts:
        sizes.append(read(part, path, start, problems))
        start += len(part) + 1
    found = [size for size in sizes if size is not None]
    return found if len(found) == len(sizes) else None


def defined(sizes: Iterable[Size], problems: Problems) -> dict[str, int]:
    """The value of each name that the sizes of one sample define."""
    found: dict[str, int] = {}
    for size in sizes:
        if size.value is not None and found.setdefault(size.text, size.value) != size.value:
            fact = f"{size.text} is {size.value} here, and {found[size.text]} elsewhere in the "
            size.add(problems, f"{fact}sample; give it one value")
    return found


def check_names(sizes: Iterable[Size], known: Iterable[str], problems: Problems) -> None:
    """Note every name that no size of the sample defines."""
    for size in sizes:
        for name in sorted(size.names.difference(known)):
            hint = did_you_mean(name, known) or f"; give one that name, as in {name}=2"
            size.add(problems, f"no size of the sample is named {name}{hint}")


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
            fact = f"{when}the size is {shown(value, 30)}; write one from 0 to {_MAX_SIZE}"
            size.add(problems, fact)
            return None
        found.append(value)
    return tuple(found) if is_small(found, path, problems, when) else None


def is_small(shape: Sequence[int], path: Path, problems: Problems, when: str = "") -> bool:
    """Whether a tensor of that shape can be drawn; notes it where not."""
    if len(shape) <= MAX_DIMENSIONS and math.prod(shape) <= MAX_ELEMENTS:
        return True
    fact = f"{when}the shape has more than {MAX_DIMENSIONS} dimensions or {MAX_ELEMENTS} elements"
    problems.add(path, f"{fact}; write a smaller one")
    return False


class _NoSizeError(Exception):
    """The expression is of another form than sizes are."""


def _evaluate(node: ast.expr, values: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return value
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=operand):
            value = _evaluate(operand, values)
            return -value if isinstance(op, ast.USub) else value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_evaluate(left, values), _evaluate(right, values))
        case _:
            raise _NoSizeError
