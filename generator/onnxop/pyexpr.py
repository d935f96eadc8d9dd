"""Python expressions in a spec: parsed with ``ast``, never evaluated, printed as ruff would."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass


class ExpressionProblem(ValueError):
    """A message about part of an expression's text."""

    def __init__(self, message: str, offset: int, length: int = 1) -> None:
        super().__init__(message)
        self.message, self.offset, self.length = message, offset, max(length, 1)


@dataclass(frozen=True)
class Source:
    """An expression's text, able to tell where a node stands in it."""

    text: str

    def offset(self, node: ast.AST) -> int:
        """The number of characters before the node (``ast`` counts columns in UTF-8 bytes)."""
        lines = self.text.split("\n")
        line: int = getattr(node, "lineno", 1)
        column = len(lines[line - 1].encode()[: getattr(node, "col_offset", 0)].decode())
        return sum(len(before) + 1 for before in lines[: line - 1]) + column

    def length(self, node: ast.AST) -> int:
        segment = ast.get_source_segment(self.text, node) or ""
        return max(len(segment.split("\n")[0]), 1)

    def problem(self, node: ast.AST, message: str) -> ExpressionProblem:
        return ExpressionProblem(message, self.offset(node), self.length(node))


def parse(text: str) -> tuple[Source, list[ast.stmt]]:
    """The statements in the text. Raises `ExpressionProblem` where it is not Python."""
    if "\r" in text or "\f" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " ")
    source = Source(text)
    try:
        module = ast.parse(text)
    except SyntaxError as error:
        line, column = error.lineno or 1, (error.offset or 1) - 1
        before = text.split("\n")[: line - 1]
        offset = min(sum(len(b) + 1 for b in before) + max(column, 0), max(len(text) - 1, 0))
        raise ExpressionProblem(f"not a Python expression: {error.msg}", offset) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ExpressionProblem(f"not a Python expression: {error}", 0, len(text)) from None
    return source, module.body


def parse_expression(text: str) -> tuple[Source, ast.expr]:
    """The one expression in the text. Raises `ExpressionProblem`."""
    source, body = parse(text.strip("\n") if "\n" in text else text)
    if len(body) == 1 and isinstance(body[0], ast.Expr):
        return source, body[0].value
    if not body:
        raise ExpressionProblem("empty; write an expression", 0, len(text))
    raise source.problem(body[0], "expected one expression, not a statement")


_BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", 11),
    ast.Sub: ("-", 11),
    ast.Mult: ("*", 12),
    ast.Div: ("/", 12),
    ast.FloorDiv: ("//", 12),
    ast.Mod: ("%", 12),
    ast.MatMult: ("@", 12),
    ast.BitAnd: ("&", 9),
    ast.BitOr: ("|", 7),
    ast.BitXor: ("^", 8),
    ast.Pow: ("**", 14),
}
_UNARY: dict[type[ast.unaryop], tuple[str, int]] = {
    ast.USub: ("-", 13),
    ast.UAdd: ("+", 13),
    ast.Invert: ("~", 13),
    ast.Not: ("not ", 5),
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_CONDITIONAL, _OR, _AND, _COMPARISON, _ATOM = 2, 3, 4, 6, 16


def literal(value: object) -> str:
    """A Python literal as ruff formats it: double quotes, no ``inf`` or ``nan`` names."""
    if isinstance(value, str):
        return string(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, list):
        return f"[{', '.join(literal(item) for item in value)}]"
    return repr(value)


def string(text: str) -> str:
    """A Python string literal in ASCII escapes, in the quotes that ruff would keep."""
    if '"' in text and "'" not in text and text.isprintable() and "\\" not in text:
        return f"'{text}'"
    escaped = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f")
    return "".join(_escape_unprintable(char) for char in escaped)


def _escape_unprintable(char: str) -> str:
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def show(node: ast.expr, rename: Mapping[str, str] | Callable[[str], str] | None = None) -> str:
    """The expression's text with minimal parentheses, its names mapped through ``rename``."""
    return _Printer(rename).at(node, 0)


class _Printer:
    def __init__(self, rename: Mapping[str, str] | Callable[[str], str] | None) -> None:
        if rename is None:
            rename = {}
        if callable(rename):
            self._rename = rename
        else:
            names = rename
            self._rename = lambda name: names.get(name, name)

    def at(self, node: ast.expr, level: int) -> str:
        text, own = self._print(node)
        return f"({text})" if own < level else text

    def _print(self, node: ast.expr) -> tuple[str, int]:
        match node:
            case ast.Name(id=name):
                return self._rename(name), _ATOM
            case ast.Constant(value=value):
                return literal(value), _ATOM
            case ast.Attribute(value=value, attr=attr):
                base = self.at(value, _ATOM)
                spaced = isinstance(value, ast.Constant) and isinstance(value.value, int)
                return (f"({base}).{attr}" if spaced else f"{base}.{attr}"), _ATOM
            case ast.Call(func=func, args=args, keywords=keywords):
                parts = [self.at(arg, 1) for arg in args]
                parts += [f"{word.arg}={self.at(word.value, 1)}" for word in keywords]
                return f"{self.at(func, _ATOM)}({', '.join(parts)})", _ATOM
            case ast.Subscript(value=value, slice=index):
                return f"{self.at(value, _ATOM)}[{self._index(index)}]", _ATOM
            case ast.List(elts=items):
                return f"[{', '.join(self.at(item, 1) for item in items)}]", _ATOM
            case ast.Tuple(elts=items):
                inner = ", ".join(self.at(item, 1) for item in items)
                return f"({inner},)" if len(items) == 1 else f"({inner})", _ATOM
            case _:
                return self._operation(node)

    def _operation(self, node: ast.expr) -> tuple[str, int]:
        match node:
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                hug = _is_simple(left) and _is_simple(right)
                sign = "**" if hug else " ** "
                return f"{self.at(left, 15)}{sign}{self.at(right, 13)}", 14
            case ast.BinOp(left=left, op=op, right=right):
                sign, level = _BINARY[type(op)]
                return f"{self.at(left, level)} {sign} {self.at(right, level + 1)}", level
            case ast.UnaryOp(op=op, operand=operand):
                sign, level = _UNARY[type(op)]
                return f"{sign}{self.at(operand, level)}", level
            case ast.Compare(left=left, ops=ops, comparators=others):
                text = self.at(left, _COMPARISON + 1)
                for sign_node, other in zip(ops, others, strict=True):
                    text += f" {_COMPARE[type(sign_node)]} {self.at(other, _COMPARISON + 1)}"
                return text, _COMPARISON
            case ast.BoolOp(op=op, values=values):
                level = _AND if isinstance(op, ast.And) else _OR
                sign = " and " if level == _AND else " or "
                return sign.join(self.at(value, level + 1) for value in values), level
            case ast.IfExp(test=test, body=body, orelse=orelse):
                text = f"{self.at(body, _CONDITIONAL + 1)} if {self.at(test, _CONDITIONAL + 1)}"
                return f"{text} else {self.at(orelse, _CONDITIONAL)}", _CONDITIONAL
            case _:
                raise TypeError(f"no text for {type(node).__name__}")

    def _index(self, node: ast.expr) -> str:
        if isinstance(node, ast.Slice):
            lower = self.at(node.lower, 1) if node.lower else ""
            upper = self.at(node.upper, 1) if node.upper else ""
            return f"{lower}:{upper}" + (f":{self.at(node.step, 1)}" if node.step else "")
        if isinstance(node, ast.Tuple) and node.elts:
            return ", ".join(self._index(item) for item in node.elts)
        return self.at(node, 1)


def _is_simple(node: ast.expr) -> bool:
    """Whether ruff writes ``**`` without spaces beside this operand."""
    match node:
        case ast.UnaryOp(op=op, operand=operand):
            return not isinstance(op, ast.Not) and isinstance(operand, ast.Constant)
        case ast.Constant(value=value):
            return isinstance(value, int | float)
        case ast.Attribute(value=value):
            return _is_dotted(value)
        case _:
            return isinstance(node, ast.Name)


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
