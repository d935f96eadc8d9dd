"""A line with a number before a tensor, as in ``1.0 - mask`` → the same with the tensor converted."""

from __future__ import annotations

import ast

from ...trial.places import Place
from .rewrites import statement_at

_OPERATORS: dict[str, tuple[type[ast.operator], str]] = {
    "aten::rsub": (ast.Sub, "-"),
    "aten::floor_divide": (ast.FloorDiv, "//"),
}
"""The operators that Python writes between a number and a tensor, by PyTorch's names of them."""
_PLAIN = ast.Name, ast.Attribute, ast.Subscript, ast.Call


def converted(op: str, place: Place, dtype: str) -> str:
    """Return the expression of the line that computes ``op``, with its right side converted to a
    dtype; ``""`` if there is not exactly one.
    """
    kind, sign = _OPERATORS.get(op, (None, ""))
    statement = statement_at(*place.innermost)
    if statement is None or kind is None:
        return ""
    binary = (node for node in ast.walk(statement) if isinstance(node, ast.BinOp))
    of_op = [node for node in binary if isinstance(node.op, kind)]
    of_numbers = [node for node in of_op if _is_number(node.left)] or of_op  # limit - mask
    if len(of_numbers) != 1:
        return ""
    left, right = of_numbers[0].left, of_numbers[0].right
    code = ast.unparse(right)
    tensor = code if isinstance(right, _PLAIN) else f"({code})"
    return f"{ast.unparse(left)} {sign} {tensor}.to({dtype})"


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)
