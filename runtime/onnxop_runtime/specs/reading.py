"""A spec's file → its document: TOML, keys and types, with all that is wrong in them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from . import document, document_rules
from .document import Document
from .positions import Span
from .problems import Problems, SpecProblem, placed

MAX_BYTES = 1_000_000
"""The largest size of a spec, and of a kernel beside it."""
NO_SPEC = "has no op spec; give a folder of .toml files, or files"
"""The message for a folder without specs."""
_REMEDY = "give the path of an op spec in TOML"
# Keys have no strings of several lines: with those, which positions.py reads, it would backtrack
# for minutes.
_QUOTED = r""""(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'"""
_LONG_KEY_OR_TEXT = re.compile(
    r"""\"{3}(?:[^"\\]|\\[\s\S]|"(?!""))*+\"{3}|'{3}(?:[^']|'(?!''))*+'{3}|\#[^\n]*+"""
    rf"|(?P<key>(?<![\w-])(?:(?:[\w-]++|{_QUOTED})[ \t]*+\.[ \t]*+){{20}})|{_QUOTED}"
)
"""Twenty parts of a dotted key, of which tomllib takes memory by the square of their number; or a
string or a comment, in which dots are text.
"""


@dataclass(frozen=True)
class Reading:
    """A spec that was read. ``filename`` is its file, or a label such as ``<text>``.

    ``document`` has the valid parts of the spec; it is None if the text is not TOML. ``problems``
    are those of TOML, keys and types; later checks add theirs.
    """

    filename: str
    text: str = ""
    document: Document | None = None
    problems: Problems = field(default_factory=Problems)

    def placed(self) -> list[SpecProblem]:
        """Return the problems at their places, in the order of the file."""
        return placed(self.filename, self.text, self.problems)


def read_file(file: FilePath) -> Reading:
    """Return a spec in a file."""
    try:
        if file.exists() and not (file.is_file() or file.is_dir()):  # reading a pipe would not end
            return unreadable(str(file), "it is not a plain file")
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a null in the path
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return unreadable(str(file), reason)
    return read_bytes(data, str(file))


def unreadable(filename: str, reason: str) -> Reading:
    """Return the reading of a spec that cannot be read."""
    return _failed(filename, "", f"cannot be read: {reason}; {_REMEDY}")


def read_bytes(data: bytes, filename: str) -> Reading:
    """Return a spec in UTF-8."""
    if len(data) > MAX_BYTES:
        return _failed(filename, "", f"has more than {MAX_BYTES} bytes; give an op spec in TOML")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _failed(filename, "", "not UTF-8; save the file as UTF-8", Span(line, 1, 1))
    return read_text(text, filename)


def read_text(text: str, filename: str) -> Reading:
    """Return a spec in a text."""
    if len(text) > MAX_BYTES:  # each character has a byte at least
        return _failed(filename, "", f"has more than {MAX_BYTES} bytes; give an op spec in TOML")
    text = text.replace("\r\n", "\n")
    long_keys = (match for match in _LONG_KEY_OR_TEXT.finditer(text) if match["key"])
    if long_key := next(long_keys, None):
        line = text.count("\n", 0, long_key.start()) + 1
        message = "not readable: a key of more than 20 parts; write a smaller spec"
        return _failed(filename, "", message, Span(line, 1, 1))
    try:
        tree: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        fact, span = _syntax(text, str(error))
        return _failed(filename, text, fact, span)
    except (ValueError, RecursionError) as error:
        fact = "values are nested too deeply"
        if isinstance(error, ValueError):
            fact = "an integer has too many digits"
        message = f"not readable: {fact}; write a smaller spec"
        return _failed(filename, "", message, Span(1, 1, 1))
    problems = Problems()
    content = document.read(tree, problems)
    document_rules.check_onnx(content, problems)
    document_rules.check_kernel(content, problems)
    return Reading(filename, text, content, problems)


def specs_in(folder: FilePath) -> list[FilePath]:
    """Return the specs directly in a folder, sorted by name."""
    return sorted(file for file in folder.glob("*.toml") if file.name != "pyproject.toml")


def specs_of(folder: FilePath) -> list[FilePath]:
    """Return the specs of a folder, or of the package in it, sorted by name."""
    return specs_in(folder) or specs_in(folder / "ops")


def _failed(filename: str, text: str, message: str, span: Span | None = None) -> Reading:
    reading = Reading(filename, text)
    reading.problems.add((), message, span=span)
    return reading


def _syntax(text: str, error: str) -> tuple[str, Span]:
    """Return the message for invalid TOML, and its position, from the text of tomllib's error."""
    position = re.search(r"\s*\(at line (\d+), column (\d+)\)", error)
    fact = re.sub(r"\s*\(at .*\)$|[(),]", "", error)
    lines = text.split("\n")
    line, column = (int(position[1]), int(position[2])) if position else (len(lines), 1)
    while line > 1 and not lines[line - 1].strip():
        line, column = line - 1, len(lines[line - 2].rstrip()) + 1
    remedy = (
        "write one key = value per line, with strings in closed quotes, under a header such as [op]"
    )
    fact = f"{fact[:1].lower()}{fact[1:]}"
    return f"not valid TOML: {fact}; {remedy}", Span(line, max(column, 1), 1)
