"""Problems of a mapping as data: the place, the fact and the remedy."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import CodeType, TracebackType
from typing import NamedTuple

from ..messages import nearest


class CodeSpan(NamedTuple):
    """A part of a mapping's text. Lines count from 1, columns in UTF-8 bytes from 0, as in
    ``ast``.
    """

    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


@dataclass(frozen=True)
class MappingProblem:
    """A fact and its remedy; ``span`` is None if the place is unknown."""

    fact: str
    remedy: str
    span: CodeSpan | None = None

    def __str__(self) -> str:
        return f"{self.fact}; {self.remedy}" if self.remedy else self.fact


class MappingError(ValueError):
    """An error in a mapping's text or in its run, with all ``problems``."""

    def __init__(self, problems: Iterable[MappingProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def at(self, span: CodeSpan | None) -> MappingError:
        """Return the error with a place for the problems that lack one."""
        return MappingError(p if p.span else replace(p, span=span) for p in self.problems)


def error(message: str, remedy: str = "", node: ast.AST | None = None) -> MappingError:
    """Return an error with one problem."""
    return MappingError([MappingProblem(message, remedy, None if node is None else span_of(node))])


def span_of(node: ast.AST) -> CodeSpan:
    """Return the part of the text that a node spans, or its first character if it has no end."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    end_line = getattr(node, "end_lineno", None) or line
    return CodeSpan(line, column, end_line, getattr(node, "end_col_offset", None) or column + 1)


def span_here(traceback: TracebackType | None, filename: str) -> CodeSpan | None:
    """Return the innermost part of a file that an exception passed through."""
    span = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        span = (
            span_of_instruction((code, traceback.tb_lasti))
            if code.co_filename == filename
            else span
        )
        traceback = traceback.tb_next
    return span


def span_of_instruction(instruction: tuple[CodeType, int] | None) -> CodeSpan | None:
    """Return the part of the text that an instruction was compiled from."""
    if instruction is None:
        return None
    code, offset = instruction
    line, end_line, column, end_column = [*code.co_positions()][offset // 2]
    if line is None or column is None:
        return None
    return CodeSpan(line, column, end_line or line, end_column or column + 1)


def did_you_mean(typed: str, known: Iterable[str], prefix: str = "") -> str:
    """Return ``did you mean x?``, or "" if no known word is similar."""
    near = nearest(typed, known)
    return f"did you mean {prefix}{near}?" if near else ""
