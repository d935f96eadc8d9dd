"""Lists of code: on one line if they fit, otherwise one item per line."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

WIDTH = 100


def joined(head: str, items: Sequence[str], tail: str, *, indent: int = 0) -> str:
    """Return ``head``, items, ``tail``, on one line if they fit; ``indent`` is that line's
    indent.
    """
    one_line = f"{head}{', '.join(items)}{tail}"
    if indent + len(one_line) <= WIDTH or not items:
        return one_line
    pad = " " * indent
    lines = [f"{pad}    {item}," for item in items]
    return "\n".join([head, *lines, f"{pad}{tail}"])


def wrapped(before: str, expression: str, after: str, *, indent: int) -> list[str]:
    """Return ``before``, an expression, ``after``, in lines broken at brackets where they are too
    long.
    """
    pad = " " * indent
    line = f"{pad}{before}{expression}{after}"
    if len(line) <= WIDTH:
        return [line]
    opening, items, closing = _parts(expression)
    if not items:
        return [line]
    lines = [f"{pad}{before}{opening}"]
    for name, item in items:
        lines += wrapped(name, item, ",", indent=indent + 4)
    return [*lines, f"{pad}{closing}{after}"]


def _parts(expression: str) -> tuple[str, list[tuple[str, str]], str]:
    """Return a call or a list as its opening, its items with their keywords, and its closing
    bracket.

    Another expression has no items.
    """

    def text(node: ast.expr) -> str:
        return ast.get_source_segment(expression, node) or ""

    match ast.parse(expression, mode="eval").body:
        case ast.Call(func=func, args=args, keywords=keywords):
            named = [(f"{keyword.arg}=", text(keyword.value)) for keyword in keywords]
            return f"{text(func)}(", [*(("", text(arg)) for arg in args), *named], ")"
        case ast.List(elts=elts):
            return "[", [("", text(item)) for item in elts], "]"
        case _:
            return "", [], ""


def docstring(text: str) -> str:
    """Return the text escaped for a docstring."""
    safe = text.strip().replace("\\", "\\\\")
    safe = re.sub(r'"{3,}|"+\Z', lambda quotes: '\\"' * len(quotes[0]), safe)
    return f"{safe}\n" if "\n" in safe else safe


def in_import(name: str) -> tuple[int, str]:
    """Return ruff's sort key for a name in an import: CONSTANTS, then Classes, then the rest."""
    return in_all(name)[0], name.lower()


def in_all(name: str) -> tuple[int, str]:
    """Return ruff's sort key for a name in ``__all__``, which is case-sensitive."""
    is_constant = len(name) > 1 and name.isupper()
    return (0 if is_constant else 1 if name[:1].isupper() else 2), name
