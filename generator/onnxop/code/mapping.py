"""A mapping's text → the body of its function in a package."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from ..kernel.composed import laid_out
from ..spec.model import Spec


def body_of(text: str) -> tuple[str, ...]:
    """Return the lines of the function's body as written, with comments, indented by four."""
    return tuple(f"    {line}".rstrip() for line in laid_out(text).split("\n") if text.strip())


def helpers_of(spec: Spec) -> tuple[str, ...]:
    """Return the names that a mapping's function imports from the runtime."""
    calls = re.findall(r"\b(is_floating_point|is_dynamic|rank)\(", code_of(spec.mapping.text))
    return tuple(sorted({*calls} - {argument.name for argument in spec.arguments}))


def assigned_names(text: str) -> set[str]:
    """Return the names that a mapping assigns to."""
    tree = ast.parse("\n".join(["def to_onnx():", *body_of(text), "    pass"]))
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


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
