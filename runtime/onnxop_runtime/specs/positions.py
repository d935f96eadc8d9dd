"""TOML text → the positions of its keys and values, so that an error can show a line and a caret.

tomllib gives values without positions, and rejects invalid TOML. This module reads the text again
only for the positions. If it meets text that it does not understand, the rest has no positions.
"""

import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

Path = tuple[str | int, ...]
"""The keys and indices that lead to a value of a TOML tree."""


@dataclass(frozen=True)
class Span:
    """A part of one line. Lines and columns count from 1; columns and lengths are in characters."""

    line: int
    column: int
    length: int


# Possessive quantifiers keep every match linear in the text, closed or not.
_STRING = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']++|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*+'",
    re.DOTALL,
)
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_BARE_VALUE = re.compile(rf"(?:{_DATE} (?=[0-9]))?[^\s,\]}}#]+")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SPACE = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_EQUALS = re.compile(r"=[ \t]*")
_COMMA = re.compile(rf",{_BLANK.pattern}")

# One match per character of the value. A backslash at a line's end is not a character of the value.
_BASIC_UNIT = re.compile(
    r"(?P<joined>\\[ \t]*\r?\n[ \t\r\n]*)"
    r"|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|\\x[0-9A-Fa-f]{2}|\\.|\r\n|.",
    re.DOTALL,
)
_LITERAL_UNIT = re.compile(r"(?P<joined>(?!))|\r\n|.", re.DOTALL)


class _NotToml(Exception):
    """The reader does not understand the text from here on."""


@dataclass(eq=False)
class _Node:
    """A key, table or array element, with its places in the text as [start, end)."""

    key: tuple[int, int] | None = None
    value: tuple[int, int] | None = None
    children: dict[str | int, "_Node"] = field(default_factory=dict)
    is_array: bool = False  # of tables, such as [[samples]]

    def child(self, part: str | int, position: tuple[int, int] | None = None) -> "_Node":
        """Return the child of that name; add it at ``position`` if it is new."""
        return self.children.setdefault(part, _Node(position))


@dataclass(frozen=True, eq=False, repr=False)
class Positions:
    """The positions in one TOML text. A path has the keys and indices into tomllib's result."""

    _text: str
    _root: _Node

    def key(self, path: Path) -> Span | None:
        """Return the span of a key, of the last name in a table's header, or of an array's
        element.
        """
        node = self._find(path)
        position = node and (node.key or node.value)
        return self._span(*position) if position else None

    def value(self, path: Path) -> Span | None:
        """Return the first line of the value; None for a table made by headers or dotted keys."""
        node = self._find(path)
        return self._span(*node.value) if node and node.value else None

    def nearest(self, path: Path) -> Span | None:
        """Return `key` of the longest known prefix of the path, for a missing key."""
        prefixes = (path[:size] for size in range(len(path), 0, -1))
        return next((span for prefix in prefixes if (span := self.key(prefix))), None)

    def inside(self, path: Path, offset: int, length: int) -> Span | None:
        """Return the span of characters [offset, offset + length) of a string, cut at the line end.

        The span ends with the value. An offset at the value's end is the closing quote; any other
        offset outside the value gives None.
        """
        node = self._find(path)
        if node is None or node.value is None or offset < 0:
            return None
        spans = _spans_of_characters(self._text, *node.value)
        if offset >= len(spans):
            return None
        last = max(offset, min(offset + length, len(spans) - 1) - 1)
        return self._span(spans[offset][0], spans[last][1])

    def _find(self, path: Path) -> _Node | None:
        node: _Node | None = self._root
        for part in path:
            node = node and node.children.get(part)
        return node

    def _span(self, start: int, end: int) -> Span:
        before = self._text.rfind("\n", 0, start) + 1
        first = self._text[start:end].partition("\n")[0].removesuffix("\r")
        return Span(self._text.count("\n", 0, start) + 1, start - before + 1, max(1, len(first)))


def locate(text: str) -> Positions:
    """Return the positions of `text`, which tomllib has parsed; never raise."""
    reader = _Reader(text)
    with suppress(_NotToml, RecursionError):  # keep the positions read so far
        reader.document()
    return Positions(text, reader.root)


def _spans_of_characters(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the position of each character of the string at [start, end), then of its closing
    quotes.
    """
    quote = text[start]
    if quote not in "\"'":
        return []
    size = 3 if text[start : start + 3] == quote * 3 and end - start >= 6 else 1
    inner, close = start + size, end - size
    if size == 3 and (newline := re.compile(r"\r?\n").match(text, inner, close)):
        inner = newline.end()  # TOML drops a newline right after the opening quotes
    matches = (_BASIC_UNIT if quote == '"' else _LITERAL_UNIT).finditer(text, inner, close)
    return [*(match.span() for match in matches if match["joined"] is None), (close, end)]


class _Reader:
    """Reads a document into a tree of places, moving `at` forward over the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.root = _Node()

    def document(self) -> None:
        table = self.root
        self.take(_BLANK)
        while self.at < len(self.text):
            if self.accept("["):
                table = self.header()
            else:
                self.pair(table)
            self.take(_BLANK)

    def header(self) -> _Node:
        """Return the table that a [header] or [[header]] opens; its first bracket is read."""
        is_array = self.accept("[")
        *parents, (name, position) = self.dotted_key()
        self.take(re.compile(re.escape("]]" if is_array else "]")))
        table = self.root
        for part in parents:
            table = table.child(*part)
            if table.is_array:  # the header is about its last table
                table = table.children.get(len(table.children) - 1, table)
        table = table.child(name, position)
        if is_array:
            table.is_array = True
            return table.child(len(table.children), position)
        table.key = position
        return table

    def pair(self, table: _Node) -> None:
        """Read a key = value of `table`."""
        for part in self.dotted_key():
            table = table.child(*part)
        self.take(_EQUALS)
        self.value(table)

    def dotted_key(self) -> list[tuple[str, tuple[int, int]]]:
        """Return a dotted key, each part with its position."""
        parts = [self.key_part()]
        while self.accept("."):
            parts.append(self.key_part())
        return parts

    def key_part(self) -> tuple[str, tuple[int, int]]:
        """Return a part of a dotted key with its position, and skip the space around it."""
        self.take(_SPACE)
        start = self.at
        is_quoted = self.text.startswith(("'", '"'), start)
        token = self.take(_STRING if is_quoted else _BARE_KEY)
        name = _unquoted(token) if is_quoted else token
        end = self.at
        self.take(_SPACE)
        return name, (start, end)

    def value(self, node: _Node) -> None:
        """Read the value at `at` into `node`."""
        start = self.at
        if self.accept("["):
            self.items("]", lambda: self.value(node.child(len(node.children))))
        elif self.accept("{"):
            self.items("}", lambda: self.pair(node))
        else:
            self.take(_STRING if self.text.startswith(("'", '"'), start) else _BARE_VALUE)
        node.value = (start, self.at)

    def items(self, closing: str, read: Callable[[], None]) -> None:
        """Read the items between commas, up to and with the closing bracket."""
        self.take(_BLANK)
        while not self.accept(closing):
            read()
            self.take(_BLANK)
            if not self.text.startswith(closing, self.at):
                self.take(_COMMA)

    def take(self, pattern: re.Pattern[str]) -> str:
        """Move over text that must match the pattern, and return it."""
        match = pattern.match(self.text, self.at)
        if match is None:
            raise _NotToml
        self.at = match.end()
        return match.group()

    def accept(self, sign: str) -> bool:
        """Return whether `sign` comes next; if so, move over it."""
        is_next = self.text.startswith(sign, self.at)
        if is_next:
            self.at += len(sign)
        return is_next


def _unquoted(token: str) -> str:
    """Return the key that a quoted token stands for, as TOML reads it."""
    try:
        return str(tomllib.loads(f"key = {token}")["key"])
    except tomllib.TOMLDecodeError:
        raise _NotToml from None
