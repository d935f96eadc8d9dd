"""Problems of a spec as data: collected over the whole spec, then placed in its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..messages import shown
from .positions import Path, Positions, Span, locate

_MAX_MESSAGE = 800  # characters of a message
_MAX_LINE = 400  # characters of a line that is shown
_MAX_PROBLEMS = 100  # of a spec that are shown


@dataclass(frozen=True)
class Problem:
    """One error of a spec: the path of its key, and one sentence with the fact and the remedy.

    ``offset`` and ``length`` mark the wrong part of the key's string value; ``on_key`` says that
    the key itself is wrong, not its value. The path of a problem of the whole file is empty; its
    ``span`` is known if the text is not TOML.
    """

    path: Path
    message: str
    offset: int | None = None
    length: int = 1
    on_key: bool = False
    span: Span | None = None


class Problems:
    """An ordered set of problems, so that one answer can show all of them."""

    def __init__(self) -> None:
        self._problems: dict[Problem, None] = {}

    def add(
        self,
        path: Path,
        message: str,
        *,
        offset: int | None = None,
        length: int = 1,
        on_key: bool = False,
        span: Span | None = None,
    ) -> None:
        """Add a problem with the value at a path, or with its key; one that is known is not added
        again.
        """
        self._problems.setdefault(Problem(path, message, offset, length, on_key, span))

    def concern(self, *path: str | int) -> bool:
        """Return whether the key at this path, or a key below it, has a problem."""
        return any(problem.path[: len(path)] == path for problem in self)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._problems)

    def __len__(self) -> int:
        return len(self._problems)


@dataclass(frozen=True)
class SpecProblem:
    """A problem at its position in a spec."""

    filename: str
    """The file, or a label such as ``<text>``."""
    line: int
    """The line, from 1; 0 for a problem of the whole file."""
    key: str
    """The table and the key, ``onnx.mapping``; empty for a problem of the whole file."""
    message: str
    """The fact and the remedy."""
    excerpt: str = ""
    """The line with carets under its wrong part, on two indented lines; or empty."""

    def __str__(self) -> str:
        filename = f"{self.filename}:{self.line}" if self.line else self.filename
        head = ": ".join(part for part in (filename, self.key, self.message) if part)
        return f"{head}\n{self.excerpt}" if self.excerpt else head


class SpecError(ValueError):
    """The error for specs that cannot be registered, with all their ``problems``."""

    def __init__(self, problems: Iterable[SpecProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


def placed(filename: str, text: str, problems: Iterable[Problem]) -> list[SpecProblem]:
    """Return the problems of a spec at their places in its text, in the order of the file: the
    first hundred, and the number of the others.
    """
    positions, lines = locate(text), text.split("\n")
    spans = [(problem, _span(problem, positions)) for problem in problems]
    spans.sort(key=lambda pair: (pair[1].line, pair[1].column) if pair[1] else (0, 0))
    told = [_placed(filename, lines, *pair) for pair in spans[:_MAX_PROBLEMS]]
    if (others := len(spans) - len(told)) > 0:
        fact = f"has {others} further problems; correct those above first"
        told.append(SpecProblem(filename, 0, "", fact))
    return told


def _span(problem: Problem, positions: Positions) -> Span | None:
    """Return where a problem is in the file, or near it."""
    if not problem.path:
        return problem.span
    if problem.on_key:
        return positions.key(problem.path) or positions.nearest(problem.path)
    if problem.offset is not None:
        inside = positions.inside(problem.path, problem.offset, problem.length)
        if inside is not None:
            return inside
    return positions.value(problem.path) or positions.nearest(problem.path)


def _placed(filename: str, lines: list[str], problem: Problem, span: Span | None) -> SpecProblem:
    parts = [f"[{p}]" if isinstance(p, int) else f".{_key(p)}" for p in problem.path]
    text = "".join(char if char.isprintable() else repr(char)[1:-1] for char in problem.message)
    text = text if len(text) <= _MAX_MESSAGE else f"{text[: _MAX_MESSAGE - 3]}..."
    line = span.line if span else int(bool(parts))
    excerpt = _excerpt(lines, span) if span else ""
    return SpecProblem(filename, line, "".join(parts)[1:], text, excerpt)


def _key(key: str) -> str:
    """Return the key as TOML writes it; shorten a long key."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", key) else shown(key)


def _excerpt(lines: list[str], span: Span) -> str:
    """Return the line with carets under the span; empty for a blank or a long line."""
    if span.line > len(lines):
        return ""
    line = lines[span.line - 1].rstrip("\r")
    if not line.strip() or len(line) > _MAX_LINE:
        return ""
    line = "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in line)
    indent = "".join("\t" if char == "\t" else " " for char in line[: span.column - 1])
    carets = "^" * max(1, min(span.length, len(line) - span.column + 1))
    return f"    {line}\n    {indent}{carets}"
