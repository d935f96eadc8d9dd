"""TOML text → where its keys and values stand, so that an error can show a line and a caret.

tomllib gives values without places. This reads the same text again for the places alone, and
trusts tomllib to have refused what is not TOML: where it cannot follow it stops, and the rest is
unknown.
"""

import re
import tomllib
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

from ..errors import Path


@dataclass(frozen=True)
class Span:
    """A stretch of one line; line and column are 1-based, columns and the length are characters."""

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

# One match per character of the value, or per line-ending backslash, which gives none.
_BASIC_UNIT = re.compile(
    r"(?P<joined>\\[ \t]*\r?\n[ \t\r\n]*)"
    r"|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|\\x[0-9A-Fa-f]{2}|\\.|\r\n|.",
    re.DOTALL,
)
_LITERAL_UNIT = re.compile(r"(?P<joined>(?!))|\r\n|.", re.DOTALL)


class _NotToml(Exception):
    """The text cannot be followed any further."""


@dataclass(eq=False)
class _Node:
    """One key, table or element, with its places as [start, end) in the text."""

    key: tuple[int, int] | None = None
    value: tuple[int, int] | None = None
    children: dict[str | int, "_Node"] = field(default_factory=dict)
    of_tables: bool = False

    def child(self, part: str | int, start: int, end: int) -> "_Node":
        """The child of that name; until it gets a header, its key is where it is first named."""
        return self.children.setdefault(part, _Node((start, end)))


@dataclass(frozen=True, eq=False, repr=False)
class Positions:
    """The places of one TOML text; a path is the keys and indices into tomllib's result."""

    _text: str
    _root: _Node
    _starts: tuple[int, ...]

    def key(self, path: Path) -> Span | None:
        """The key word; of a table, the last in its header; of an array's element, its own text."""
        node = self._find(path)
        place = node and (node.key or node.value)
        return self._span(*place) if place else None

    def value(self, path: Path) -> Span | None:
        """The first line of the value's text; None for a table made by headers or dotted keys."""
        node = self._find(path)
        return self._span(*node.value) if node and node.value else None

    def nearest(self, path: Path) -> Span | None:
        """`key` of the longest known prefix of the path, for a key that is missing."""
        prefixes = (path[:size] for size in range(len(path), 0, -1))
        return next((span for prefix in prefixes if (span := self.key(prefix))), None)

    def inside(self, path: Path, offset: int, length: int) -> Span | None:
        """Where characters [offset, offset + length) of a string value stand, cut at the line end.

        What goes past the value is left out; an offset at its very end is the closing quote. None
        for any other offset, and for a value that is not a string.
        """
        node = self._find(path)
        if node is None or node.value is None or offset < 0:
            return None
        units = _units(self._text, *node.value)
        if offset >= len(units):
            return None
        last = max(offset, min(offset + length, len(units) - 1) - 1)
        return self._span(units[offset][0], units[last][1])

    def _find(self, path: Path) -> _Node | None:
        node = self._root
        for part in path:
            if part not in node.children:
                return None
            node = node.children[part]
        return node

    def _span(self, start: int, end: int) -> Span:
        line = bisect_right(self._starts, start)
        newline = self._text.find("\n", start, end)
        first = self._text[start : end if newline < 0 else newline].removesuffix("\r")
        return Span(line, start - self._starts[line - 1] + 1, max(1, len(first)))


def locate(text: str) -> Positions:
    """The places of every key and value of `text`, which tomllib has parsed; never raises."""
    reader = _Reader(text)
    with suppress(_NotToml, RecursionError):  # what was read so far stays known
        reader.document()
    starts = (0, *(newline.end() for newline in re.finditer("\n", text)))
    return Positions(text, reader.root, starts)


def stopping_point(text: str) -> Span | None:
    """Where a text that is not TOML cannot be followed any further, or None if it can to its end."""
    reader = _Reader(text)
    try:
        reader.document()
    except _NotToml:
        before = text[: reader.at]
        line = before.count("\n") + 1
        return Span(line, reader.at - (before.rfind("\n") + 1) + 1, 1)
    except RecursionError:
        pass
    return None


@lru_cache(maxsize=8)  # a value may have many problems
def _units(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """The place of each character of the string at [start, end), then of its closing quotes."""
    quote = text[start]
    if quote not in "\"'":
        return ()
    size = 3 if text[start : start + 3] == quote * 3 and end - start >= 6 else 1
    inner, close = start + size, end - size
    if size == 3 and (newline := re.compile(r"\r?\n").match(text, inner, close)):
        inner = newline.end()  # TOML drops a newline right after the opening quotes
    unit = _BASIC_UNIT if quote == '"' else _LITERAL_UNIT
    found = unit.finditer(text, inner, close)
    return (*(match.span() for match in found if match["joined"] is None), (close, end))


class _Reader:
    """Reads a document into a tree of places, moving `at` forward over the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.root = _Node()

    def document(self) -> None:
        """Every header and every key = value of the text."""
        table = self.root
        self.skip(_BLANK)
        while self.at < len(self.text):
            if self.accept("["):
                table = self.header()
            else:
                self.pair(table)
            self.skip(_BLANK)

    def header(self) -> _Node:
        """The table that a [header] or [[header]] opens; its first bracket has been read."""
        of_tables = self.accept("[")
        *parents, (name, start, end) = self.words()
        self.expect("]]" if of_tables else "]")
        table = self.root
        for part in parents:
            table = _last_element(table.child(*part))
        table = table.child(name, start, end)
        if of_tables:
            table.of_tables = True
            return table.child(len(table.children), start, end)
        table.key = (start, end)
        return table

    def pair(self, table: _Node) -> None:
        """A key = value of `table`."""
        for part in self.words():
            table = table.child(*part)
        self.expect("=")
        self.skip(_SPACE)
        self.value(table)

    def words(self) -> list[tuple[str, int, int]]:
        """A dotted key, each part with its place."""
        words = [self.word()]
        while self.accept("."):
            words.append(self.word())
        return words

    def word(self) -> tuple[str, int, int]:
        """One part of a key, and the space around it."""
        self.skip(_SPACE)
        start = self.at
        quoted = self.text.startswith(("'", '"'), start)
        self.require(_STRING if quoted else _BARE_KEY)
        end = self.at
        self.skip(_SPACE)
        word = self.text[start:end]
        return (_unquoted(word) if quoted else word), start, end

    def value(self, node: _Node) -> None:
        """The value at `at`, into `node`."""
        start = self.at
        if self.accept("["):
            self.array(node)
        elif self.accept("{"):
            self.inline_table(node)
        else:
            self.require(_STRING if self.text.startswith(("'", '"'), start) else _BARE_VALUE)
        node.value = (start, self.at)

    def array(self, node: _Node) -> None:
        """An array's elements, up to and with its closing bracket."""
        self.skip(_BLANK)
        while not self.accept("]"):
            self.value(node.children.setdefault(len(node.children), _Node()))
            self.separator("]")

    def inline_table(self, node: _Node) -> None:
        """An inline table's pairs, up to and with its brace; TOML 1.1 lets it span lines."""
        self.skip(_BLANK)
        while not self.accept("}"):
            self.pair(node)
            self.separator("}")

    def separator(self, closing: str) -> None:
        """A comma, unless the closing bracket comes next."""
        self.skip(_BLANK)
        if not self.text.startswith(closing, self.at):
            self.expect(",")
            self.skip(_BLANK)

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Move over what matches, if anything does."""
        if match := pattern.match(self.text, self.at):
            self.at = match.end()

    def require(self, pattern: re.Pattern[str]) -> None:
        """Move over what must match."""
        match = pattern.match(self.text, self.at)
        if match is None:
            raise _NotToml
        self.at = match.end()

    def accept(self, sign: str) -> bool:
        """Whether `sign` comes next; if so, move over it."""
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found

    def expect(self, sign: str) -> None:
        """Move over `sign`, which must come next."""
        if not self.accept(sign):
            raise _NotToml


def _last_element(node: _Node) -> _Node:
    """The table that a header means by this name: of an array of tables, its last element."""
    return node.children.get(len(node.children) - 1, node) if node.of_tables else node


def _unquoted(word: str) -> str:
    """The key that a quoted word stands for, as TOML itself reads it."""
    try:
        value = tomllib.loads(f"key = {word}")["key"]
    except tomllib.TOMLDecodeError:
        raise _NotToml from None
    return str(value)
