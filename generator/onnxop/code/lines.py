"""Lists of code that may grow long: on one line where they fit, else one item a line."""

from __future__ import annotations

import re
from collections.abc import Sequence

WIDTH = 100


def joined(head: str, items: Sequence[str], tail: str, *, indent: int = 0) -> str:
    """``head`` items ``tail``; ``indent`` is that of the line it ends up on."""
    one_line = f"{head}{', '.join(items)}{tail}"
    if indent + len(one_line) <= WIDTH or not items:
        return one_line
    pad = " " * indent
    lines = [f"{pad}    {item}," for item in items]
    if any(len(line) > WIDTH for line in lines):
        tail += "  # fmt: skip"  # an item is as long as it is
    return "\n".join([head, *lines, f"{pad}{tail}"])


def skipped(line: str, *, indent: int = 0) -> str:
    """A line that is as long as it is: a formatter is to leave it so."""
    return line if indent + len(line) <= WIDTH else f"{line}  # fmt: skip"


def docstring(text: str) -> str:
    """The text as it can stand in a docstring, which it neither ends nor has escapes for."""
    safe = text.strip().replace("\\", "\\\\")
    safe = re.sub(r'"{3,}|"+\Z', lambda quotes: '\\"' * len(quotes[0]), safe)
    return f"{safe}\n" if "\n" in safe else safe


def in_import(name: str) -> tuple[int, str]:
    """What ruff sorts the names of an import by: CONSTANTS, then Classes, then the rest."""
    return in_all(name)[0], name.lower()


def in_all(name: str) -> tuple[int, str]:
    """What it sorts ``__all__`` by, where case counts."""
    is_constant = len(name) > 1 and name.isupper()
    return (0 if is_constant else 1 if name[:1].isupper() else 2), name
