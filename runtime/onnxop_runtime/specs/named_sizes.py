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

from ..messages import did_you_mean, shown
from .positions import Path
from .problems import Problems
from .pyexpr import ExpressionProblem, parse_expression

MAX_DIMENSIONS = 16
MAX_ELEMENTS = 10_000_000  # whose copies the process of `onnxop check` holds
_MAX_SIZE = 10**18  # of one dimension: a tensor with a dimension of 0 has no elements
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
    """A size as written at ``path``: text from ``offset`` on in a string, or a TOML integer, which
    has no ``offset``. ``n=2`` has the node n, and defines its ``value``.
    """

    node: ast.expr
    path: Path
    offset: int | None = None
    length: int = 1
    value: int | None = None

    @property
    def text(self) -> str:
        """Return the size as an expression: its name for ``n=2``."""
        return ast.unparse(self.node)

    @property
    def names(self) -> set[str]:
        return {node.id for node in ast.walk(self.node) if isinstance(node, ast.Name)}

    def add(self, problems: Problems, message: str) -> None:
        problems.add(self.path, message, offset=self.offset, length=self.length)


def read(text: str, path: Path, start: int, problems: Problems) -> Size | None:
    """Return the size in a text, or add its problem and return None."""
    offset = start + len(text) - len(text.lstrip())
    text = re.sub(r"\s", " ", text.strip())
    length = max(len(text), 1)
    named = _NAMED.fullmatch(text)
    if named and not keyword.iskeyword(named["name"]):
        return Size(ast.Name(named["name"]), path, offset, length, int(named["value"]))
    node = _arithmetic(text)
    if node is not None:
        return Size(node, path, offset, length)
    fact = f"{shown(text, 30)} is not a size; write a number, n=2, or arithmetic such as (n + 1)//2"
    problems.add(path, fact, offset=offset, length=length)
    return None


def _arithmetic(text: str) -> ast.expr | None:
    """Return the expression of a size; None if it is no arithmetic of names and integers of 64
    bits.
    """
    if not _ARITHMETIC.fullmatch(text) or re.search("[0-9]{19}", text):
        return None
    try:
        _, node = parse_expression(text)
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        with suppress(ZeroDivisionError):  # other values may divide by another number
            _evaluate(node, dict.fromkeys(names, 1))
    except (ExpressionProblem, _NoSizeError):
        return None
    return node


def read_list(text: str, path: Path, start: int, problems: Problems) -> list[Size] | None:
    """Return the sizes between commas; a comma may end the list. ``start`` is the offset of the
    text in the string at ``path``.
    """
    parts = text.split(",")
    if not parts[-1].strip():
        parts.pop()
    sizes: list[Size | None] = []
    for part in parts:
        sizes.append(read(part, path, start, problems))
        start += len(part) + 1
    read_sizes = [size for size in sizes if size is not None]
    return read_sizes if len(read_sizes) == len(sizes) else None


def defined(sizes: Iterable[Size], problems: Problems) -> dict[str, int]:
    """Return the value of each name that the sizes of one sample define."""
    values: dict[str, int] = {}
    for size in sizes:
        if size.value is not None and values.setdefault(size.text, size.value) != size.value:
            fact = f"{size.text} is {size.value} here, and {values[size.text]} elsewhere in the "
            size.add(problems, f"{fact}sample; give it one value")
    return values


def check_names(sizes: Iterable[Size], known: Iterable[str], problems: Problems) -> None:
    """Add a problem for each name that no size of the sample defines."""
    for size in sizes:
        for name in sorted(size.names.difference(known)):
            hint = did_you_mean(name, known) or f"; give one that name, as in {name}=2"
            size.add(problems, f"no size of the sample is named {name}{hint}")


def shape(
    sizes: Sequence[Size], values: Mapping[str, int], path: Path, problems: Problems, when: str = ""
) -> tuple[int, ...] | None:
    """Return the sizes with these values for the names, or add a problem and return None.

    ``when`` describes the values, at the beginning of a message.
    """
    dimensions: list[int] = []
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
        dimensions.append(value)
    return tuple(dimensions) if check_small(dimensions, path, problems, when) else None


def check_small(shape: Sequence[int], path: Path, problems: Problems, when: str = "") -> bool:
    """Add a problem if a tensor of that shape is too large to draw. Return whether it is small."""
    if len(shape) <= MAX_DIMENSIONS and math.prod(shape) <= MAX_ELEMENTS:
        return True
    fact = f"{when}the shape has more than {MAX_DIMENSIONS} dimensions or {MAX_ELEMENTS:,} elements"
    problems.add(path, f"{fact}; write a smaller one")
    return False


class _NoSizeError(Exception):
    """A size cannot be this expression."""


def _evaluate(node: ast.expr, values: Mapping[str, int]) -> int:
    """Compute a size; raise _NoSizeError for what is no arithmetic of integers."""
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
