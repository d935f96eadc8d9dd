"""C++ code: lines broken as clang-format leaves them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

WIDTH = 100


def call(
    head: str,
    arguments: Sequence[str],
    tail: str = ")",
    *,
    indent: int = 0,
    hanging: int | None = None,
) -> list[str]:
    """``head(arguments)tail``, ``head`` ending with its bracket: on one line where it fits, else
    one argument a line, all below the first, or, where that is too wide, behind ``hanging`` spaces.
    """
    pad = " " * indent
    one_line = f"{pad}{head}{', '.join(arguments)}{tail}"
    if len(one_line) <= WIDTH or not arguments:
        return [one_line]
    *first, last = arguments
    items = [*(f"{argument}," for argument in first), f"{last}{tail}"]
    below = " " * (indent + len(head))
    if len(below) + max(map(len, items)) <= WIDTH:
        return [f"{pad}{head}{items[0]}", *(f"{below}{item}" for item in items[1:])]
    below = " " * (indent + 4 if hanging is None else hanging)
    return [f"{pad}{head}", *(f"{below}{item}" for item in items)]


def function(
    head: str,
    captures: Sequence[str],
    parameters: Sequence[str],
    body: Sequence[str],
    *,
    indent: int = 0,
) -> list[str]:
    """``head[captures](parameters) { body };``; ``body``, a call, as ``call`` takes it."""
    pad = " " * indent
    one_body = f"{body[0]}{', '.join(body[1:])});"
    one_head = f"{pad}{head}[{', '.join(captures)}]({', '.join(parameters)}) {{"
    if len(one_line := f"{one_head} {one_body} }};") <= WIDTH:
        return [one_line]
    lines = _broken_function(head, captures, parameters, body, indent)
    if max(map(len, lines)) > WIDTH:
        below = _broken_function("", captures, parameters, body, indent + 4)
        lines = [f"{pad}{head.rstrip()}", *below]
    return lines


def _broken_function(
    head: str, captures: Sequence[str], parameters: Sequence[str], body: Sequence[str], indent: int
) -> list[str]:
    pad = " " * indent
    bracket = indent + len(head)
    start = f"{pad}{head}[{', '.join(captures)}]("
    before: list[str] = []
    if len(start) > WIDTH:
        *before, last = captures
        before = [f"{' ' * (bracket + 1)}{capture}," for capture in before]
        before[:1] = [f"{pad}{head}[{captures[0]},"]
        start = f"{' ' * (bracket + 1)}{last}]("
    return [
        *before,
        *call(start, parameters, ") {", hanging=bracket + 4),
        *call(body[0], body[1:], ");", indent=indent + 2),
        f"{pad}}};",
    ]


def comment(text: str) -> list[str]:
    """Lines of a comment, words whole."""
    lines = textwrap.wrap(text, WIDTH - 3, break_long_words=False, break_on_hyphens=False)
    return [f"// {line}" for line in lines]


def strings(text: str, *, indent: int = 0, room: int = 2) -> list[str]:
    """String literals that together are the text, a line each, with ``room`` for what follows."""
    lines = [""]
    for word in re.findall(r"[^ \n]*(?: +|\n+)|[^ \n]+", text):
        wide = indent + len(string(lines[-1] + word)) + room > WIDTH
        if lines[-1] and (wide or lines[-1].endswith("\n")):
            lines.append("")
        lines[-1] += word
    return [" " * indent + string(line) for line in lines]


def string(text: str) -> str:
    """A C++ string literal; every character outside ASCII as its UTF-8 bytes, in octal."""
    parts: list[str] = []
    for byte in text.encode():
        char = chr(byte)
        if char in '"\\?':
            parts.append(f"\\{char}")
        elif char == "\n":
            parts.append("\\n")
        elif 0x20 <= byte < 0x7F:
            parts.append(char)
        else:
            parts.append(f"\\{byte:03o}")
    return f'"{"".join(parts)}"'
