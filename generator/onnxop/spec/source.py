"""A spec's file: its text, its TOML tree, and messages that show the place in it."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path as FilePath
from typing import Any

from ..errors import Problem, Problems, SpecError, shown
from .positions import Positions, Span, locate

STDIN = FilePath("-")
"""The path that stands for standard input."""

_MAX_BYTES = 1_000_000
_MAX_MESSAGE = 800  # characters of a message


def read(path: FilePath) -> str:
    """Return the text of a spec. Raise `SpecError` if it cannot be read."""
    try:
        if path == STDIN and sys.stdin is None:
            raise ValueError("there is no standard input")
        if path == STDIN:
            return _text(path, sys.stdin.buffer.read(_MAX_BYTES + 1))
        if path.exists() and not (path.is_file() or path.is_dir()):  # reading a pipe would not end
            raise ValueError("it is not a plain file")
        with path.open("rb") as file:
            return _text(path, file.read(_MAX_BYTES + 1))
    except (OSError, ValueError) as error:  # ValueError: a null in the path, too
        fact = (error.strerror if isinstance(error, OSError) else None) or str(error)
        message = f"{path}: cannot be read: {fact}; give the path of an op spec in TOML"
        raise SpecError([message]) from None


def _text(path: FilePath, data: bytes) -> str:
    """Return the text in a spec's bytes."""
    if len(data) > _MAX_BYTES:
        raise SpecError([f"{path}: has more than {_MAX_BYTES} bytes; give an op spec in TOML"])
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SpecError([f"{path}:{line}: not UTF-8; save the file as UTF-8"]) from None


def tree(path: FilePath, text: str) -> dict[str, Any]:
    """Return the TOML tree in a text. Raise `SpecError` for invalid TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError([_broken_toml(path, text, str(error))]) from None
    except (ValueError, RecursionError) as error:
        fact = "values are nested too deeply"
        if isinstance(error, ValueError):
            fact = "an integer has too many digits"
        raise SpecError([f"{path}:1: not readable: {fact}; write a smaller spec"]) from None


def _broken_toml(path: FilePath, text: str, error: str) -> str:
    place = re.search(r"\s*\(at line (\d+), column (\d+)\)", error)
    fact = re.sub(r"\s*\(at .*\)$|[(),]", "", error)
    lines = text.split("\n")
    line, column = (int(place[1]), int(place[2])) if place else (len(lines), 1)
    while line > 1 and not lines[line - 1].strip():
        line, column = line - 1, len(lines[line - 2].rstrip()) + 1
    remedy = (
        "write one key = value per line, with strings in closed quotes, under a header such as [op]"
    )
    message = f"{path}:{line}: not valid TOML: {fact[:1].lower()}{fact[1:]}; {remedy}"
    return _with_caret(message, lines, Span(line, max(column, 1), 1))


def messages(path: FilePath, text: str, problems: Problems) -> list[str]:
    """Return the finished messages, in the order of the file."""
    positions, lines = locate(text), text.split("\n")
    placed = [(problem, _place(problem, positions)) for problem in problems]
    placed.sort(key=lambda pair: (pair[1].line, pair[1].column) if pair[1] else (0, 0))
    return [_message(path, lines, problem, span) for problem, span in placed]


def _place(problem: Problem, positions: Positions) -> Span | None:
    if problem.on_key:
        return positions.key(problem.path) or positions.nearest(problem.path)
    if problem.offset is not None:
        inside = positions.inside(problem.path, problem.offset, problem.length)
        if inside is not None:
            return inside
    return positions.value(problem.path) or positions.nearest(problem.path)


def _message(path: FilePath, lines: list[str], problem: Problem, span: Span | None) -> str:
    where = "".join(f"[{p}]" if isinstance(p, int) else f".{_key(p)}" for p in problem.path)[1:]
    line = f":{span.line}" if span else ":1"
    text = "".join(char if char.isprintable() else repr(char)[1:-1] for char in problem.message)
    text = text if len(text) <= _MAX_MESSAGE else f"{text[: _MAX_MESSAGE - 3]}..."
    message = f"{path}{line}: {where}: {text}"
    return _with_caret(message, lines, span) if span else message


def _key(key: str) -> str:
    """Return the key as TOML writes it; shorten a long key."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", key) else shown(key)


def _with_caret(message: str, lines: list[str], span: Span) -> str:
    if span.line > len(lines):
        return message
    line = lines[span.line - 1].rstrip("\r")
    if not line.strip() or len(line) > 400:
        return message
    line = "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in line)
    indent = "".join("\t" if char == "\t" else " " for char in line[: span.column - 1])
    carets = "^" * max(1, min(span.length, len(line) - span.column + 1))
    return f"{message}\n    {line}\n    {indent}{carets}"
