"""What is wrong with a mapping, as data: the place, the fact and the remedy."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from types import CodeType, TracebackType


@dataclass(frozen=True)
class Span:
    """A part of a mapping's text. Lines count from 1, columns in UTF-8 bytes from 0, as in ``ast``."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Problem:
    """A fact and its remedy; ``span`` is None where the place is not known. ``part`` says which part of a
    call it is: the place of an argument, the name of a keyword for its value, ``name=`` for the name itself,
    ``count`` for the number of inputs, or ``op`` for ``op.<Name>``. ``is_of_value`` says that it is so for some values alone.
    """

    fact: str
    remedy: str
    span: Span | None = None
    part: int | str | None = None
    is_of_value: bool = False

    def __str__(self) -> str:
        return f"{self.fact}; {self.remedy}" if self.remedy else self.fact


class MappingError(ValueError):
    """A mapping that cannot be read, or run; ``problems`` are all that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def at(self, span: Span | None) -> MappingError:
        """Return the same error, with the place of the problems that have none."""
        return MappingError(p if p.span else replace(p, span=span) for p in self.problems)


def error(
    fact: str,
    remedy: str = "",
    node: ast.AST | None = None,
    *,
    part: int | str | None = None,
    is_of_value: bool = False,
) -> MappingError:
    """Return an error of one problem."""
    span = None if node is None else span_of(node)
    return MappingError([Problem(fact, remedy, span, part, is_of_value)])


def span_of(node: ast.AST) -> Span:
    """Return the part of the text that a node is, or its first character where it has no end."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    end_line = getattr(node, "end_lineno", None) or line
    return Span(line, column, end_line, getattr(node, "end_col_offset", None) or column + 1)


def within(problem: Problem, call: ast.Call) -> Problem:
    """Return a problem of a call at the part of it that it is about."""
    part, span = problem.part, span_of(call)
    word = str(part).removesuffix("=")
    keyword = next((each for each in call.keywords if each.arg == word), None)
    if part == "op":
        span = span_of(call.func)
    elif isinstance(part, int) and part < len(call.args):
        span = span_of(call.args[part])
    elif keyword is not None:
        line, column, *_ = astuple(span_of(keyword))
        is_name = word != part
        end = column + len(word.encode())
        span = Span(line, column, line, end) if is_name else span_of(keyword.value)
    return replace(problem, span=span, part=None)


Place = tuple[CodeType, int]
"""An instruction: a function's code, and the offset of the instruction in it."""


def span_at(place: Place | None) -> Span | None:
    """Return the part of the text that an instruction was compiled from."""
    if place is None:
        return None
    code, offset = place
    positions = list(code.co_positions())
    found = positions[offset // 2] if 0 <= offset // 2 < len(positions) else (None,) * 4
    line, end_line, column, end_column = found
    if line is None or column is None:
        return None
    return Span(line, column, end_line or line, end_column or column + 1)


def place_of(traceback: TracebackType | None, filename: str) -> Place | None:
    """Return the last instruction of a file that an exception passed through."""
    found = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            found = traceback.tb_frame.f_code, traceback.tb_lasti
        traceback = traceback.tb_next
    return found
