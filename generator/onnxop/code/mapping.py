"""A mapping's text → the body of the function that a package has of it."""

from __future__ import annotations

import io
import re
import tokenize

from ..kernel.composed import laid_out
from ..spec.model import Spec


def body_of(text: str) -> tuple[str, ...]:
    """Return the lines of the function's body as they are written, comments included, indented by four."""
    return tuple(f"    {line}".rstrip() for line in laid_out(text).split("\n") if text.strip())


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
