"""A mapping's text → the body of the function that a package has of it."""

from __future__ import annotations

import io
import re
import textwrap
import tokenize

from ..spec.model import Spec


def body_of(text: str) -> tuple[str, ...]:
    """Return the lines of the function's body as they are written, comments included, indented by four.

    One expression is returned; strings of several lines, which a mapping has no use for, stay as they are.
    """
    lines = textwrap.dedent(text).strip("\n").rstrip().split("\n")
    if not any(line for line in lines):
        return ()
    if not _is_expression(lines):
        return tuple(f"    {line}".rstrip() for line in lines)
    first = next(place for place, line in enumerate(lines) if line and not line.startswith("#"))
    before, rest = lines[:first], [line.rstrip() for line in lines[first:]]
    # An expression that stands alone holds its line breaks in brackets.
    rest[0] = f"return {rest[0]}"
    return tuple(f"    {line}".rstrip() for line in (*before, *rest))


def helpers_of(spec: Spec) -> tuple[str, ...]:
    """Return what a mapping's function imports of the runtime."""
    words = re.findall(r"\b(is_floating_point|is_open|rank)\(", code_of(spec.mapping.text))
    return tuple(sorted({*words} - {argument.name for argument in spec.arguments}))


def code_of(text: str) -> str:
    """Return the text without its comments and strings."""
    kept = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type not in (tokenize.COMMENT, tokenize.STRING):
                kept.append(token.string)
    except (tokenize.TokenError, IndentationError):
        return text
    return " ".join(kept).replace(" (", "(")


def _is_expression(lines: list[str]) -> bool:
    try:
        compile("\n".join(lines).strip(), "mapping", "eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True
