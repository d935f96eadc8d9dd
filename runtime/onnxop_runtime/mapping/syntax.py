"""What statements and operators of a mapping amount to."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .values import INSTEAD

_OPERATORS = {
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.Invert: "invert",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.NotEq: "ne",
    ast.UAdd: "pos",
}


def always_returns(body: Sequence[ast.stmt]) -> bool:
    """Return whether statements return, whichever way they go."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return always_returns(last.body) and always_returns(last.orelse)
    return isinstance(last, ast.Return)


def instead(node: ast.AST) -> str:
    """Return what to write instead of an operator on tensors; empty where nothing is like it."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            return _filled(op, left, right)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"op.Not({ast.unparse(operand)})"
        case ast.UnaryOp(op=op, operand=operand):
            return _filled(op, operand)
        case ast.BoolOp(op=op, values=[left, right]):
            return f"op.{type(op).__name__}({ast.unparse(left)}, {ast.unparse(right)})"
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _filled(op, left, right)
        case ast.Compare(left=left, ops=[one, other], comparators=[middle, right]):
            first, last = ast.Compare(left, [one], [middle]), ast.Compare(middle, [other], [right])
            return f"op.And({ast.unparse(first)}, {ast.unparse(last)})"
    return ""


def _filled(op: ast.AST, *operands: ast.expr) -> str:
    word = _OPERATORS.get(type(op), "")
    return INSTEAD[word].format(", ".join(map(ast.unparse, operands))) if word else ""
