"""Python code as lines, broken where ruff would break them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

WIDTH = 100
Lines = list[str]


def call(head: str, arguments: Sequence[str], tail: str = ")", *, indent: int = 0) -> Lines:
    """``head(arguments)tail``, ``head`` ending with its bracket: on one line where it fits,
    else with the arguments on a line of their own, else one argument a line.
    """
    pad = " " * indent
    one_line = f"{pad}{head}{', '.join(arguments)}{tail}"
    if len(one_line) <= WIDTH or not arguments:
        return [one_line]
    inner = f"{pad}    {', '.join(arguments)}"
    if len(inner) <= WIDTH:
        return [f"{pad}{head}", inner, f"{pad}{tail}"]
    return [f"{pad}{head}", *(f"{pad}    {argument}," for argument in arguments), f"{pad}{tail}"]


def display(head: str, items: Sequence[str], tail: str, *, indent: int = 0) -> Lines:
    """``head`` items ``tail`` for a list, a tuple or an import: on one line where it fits, else
    one item a line.
    """
    pad = " " * indent
    one_line = f"{pad}{head}{', '.join(items)}{tail}"
    if len(one_line) <= WIDTH:
        return [one_line]
    return [f"{pad}{head}", *(f"{pad}    {item}," for item in items), f"{pad}{tail}"]


def import_from(module: str, words: Sequence[str]) -> Lines:
    one_line = f"from {module} import {', '.join(words)}"
    if len(one_line) <= WIDTH:
        return [one_line]
    return display(f"from {module} import (", words, ")")


def unpack(words: Sequence[str], value: str, *, indent: int = 0) -> Lines:
    """``a, b = value``"""
    if len(words) == 1:
        return [f"{' ' * indent}({words[0]},) = {value}"]
    one_line = f"{' ' * indent}{', '.join(words)} = {value}"
    return (
        [one_line] if len(one_line) <= WIDTH else display("(", words, f") = {value}", indent=indent)
    )


def tuple_of(head: str, words: Sequence[str], *, indent: int = 0) -> Lines:
    """``head`` followed by a tuple: ``return a, b``"""
    if len(words) == 1:
        return [f"{' ' * indent}{head}({words[0]},)"]
    one_line = f"{' ' * indent}{head}{', '.join(words)}"
    return [one_line] if len(one_line) <= WIDTH else display(f"{head}(", words, ")", indent=indent)


def indented(lines: Iterable[str], by: int = 4) -> Lines:
    return [f"{' ' * by}{line}" if line else "" for line in lines]


def docstring(text: str, *, indent: int = 0) -> Lines:
    """Free text as a docstring: it can neither end the string nor form an escape."""
    pad = " " * indent
    safe = text.strip().replace("\\", "\\\\")
    safe = re.sub(r'"{3,}|"+\Z', lambda quotes: '\\"' * len(quotes[0]), safe)
    first, *rest = [
        line.strip() if not line.strip() else line.rstrip() for line in safe.split("\n")
    ]
    if not rest:
        return [f'{pad}"""{first}"""']
    return [f'{pad}"""{first}', *(f"{pad}{line}" if line else "" for line in rest), f'{pad}"""']
