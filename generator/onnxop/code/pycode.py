"""Python code as lines, broken where ruff would break them."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Container, Iterable, Sequence

WIDTH = 100
Lines = list[str]


def width(text: str) -> int:
    """The columns that ruff counts: wide characters take two."""
    if text.isascii():
        return len(text)
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else not unicodedata.combining(char)
        for char in text
    )


def atom(head: str, text: str, *, indent: int = 0) -> Lines:
    """``head`` and a name or literal, which can go into parentheses but not be broken."""
    pad = " " * indent
    one_line, inner = f"{pad}{head}{text}", f"{pad}    {text}"
    if width(one_line) <= WIDTH or width(inner) > WIDTH:
        return [one_line]
    return [f"{pad}{head}(", inner, f"{pad})"]


def call(head: str, arguments: Sequence[str], tail: str = ")", *, indent: int = 0) -> Lines:
    """``head(arguments)tail``, ``head`` ending with its bracket: on one line where it fits,
    else with the arguments on a line of their own, else one argument a line.
    """
    pad = " " * indent
    one_line = f"{pad}{head}{', '.join(arguments)}{tail}"
    if width(one_line) <= WIDTH or not arguments:
        return [one_line]
    inner = f"{pad}    {', '.join(arguments)}"
    if width(inner) <= WIDTH:
        return [f"{pad}{head}", inner, f"{pad}{tail}"]
    return [f"{pad}{head}", *(f"{pad}    {argument}," for argument in arguments), f"{pad}{tail}"]


def display(head: str, items: Sequence[str], tail: str, *, indent: int = 0) -> Lines:
    """``head`` items ``tail`` for a list, a tuple or an import: on one line where it fits, else
    one item a line.
    """
    pad = " " * indent
    one_line = f"{pad}{head}{', '.join(items)}{tail}"
    if width(one_line) <= WIDTH:
        return [one_line]
    return [f"{pad}{head}", *(f"{pad}    {item}," for item in items), f"{pad}{tail}"]


def import_from(module: str, words: Sequence[str]) -> Lines:
    one_line = f"from {module} import {', '.join(words)}"
    if width(one_line) <= WIDTH:
        return [one_line]
    return display(f"from {module} import (", words, ")")


def imports(modules: Iterable[str], names: Iterable[tuple[str, str]]) -> Lines:
    """The import statements as ruff sorts them: the standard library's, then all others.

    Args:
        modules: what ``import`` takes: ``torch``, ``torch.nn.functional as F``.
        names: a module and a name taken from it each.
    """
    by_module: dict[str, set[str]] = {}
    for module, name in names:
        by_module.setdefault(module, set()).add(name)
    groups: tuple[Lines, Lines] = ([], [])
    for module in sorted(set(modules)):
        groups[not _is_standard(module)].append(f"import {module}")
    for module, words in sorted(by_module.items()):
        group = groups[not _is_standard(module)]
        group += import_from(module, sorted(words, key=lambda w: (not w[:1].isupper(), w)))
    return [*groups[0], *([""] if all(groups) else []), *groups[1]]


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def unpack(words: Sequence[str], value: str, *, indent: int = 0) -> Lines:
    """``a, b = value``"""
    if len(words) == 1:
        return [f"{' ' * indent}({words[0]},) = {value}"]
    one_line = f"{' ' * indent}{', '.join(words)} = {value}"
    return (
        [one_line]
        if width(one_line) <= WIDTH
        else display("(", words, f") = {value}", indent=indent)
    )


def unpacked(words: Sequence[str], used: Container[str]) -> list[str]:
    """The names to unpack into, all different: ``_name`` for those that are not used.

    ruff takes a name for unused where it starts with an underscore and ends with none.
    """
    found: list[str] = []
    for word in words:
        name = plain = word if word in used else f"_{word.rstrip('_')}"
        number = 2
        while name in found:
            name, number = f"{plain}_{number}", number + 1
        found.append(name)
    return found


def tuple_of(head: str, words: Sequence[str], *, indent: int = 0) -> Lines:
    """``head`` followed by a tuple: ``return a, b``"""
    if len(words) == 1:
        return [f"{' ' * indent}{head}({words[0]},)"]
    one_line = f"{' ' * indent}{head}{', '.join(words)}"
    return (
        [one_line] if width(one_line) <= WIDTH else display(f"{head}(", words, ")", indent=indent)
    )


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
