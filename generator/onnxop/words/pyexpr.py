"""Python expressions in a spec: parsed with ``ast``, never evaluated, printed as ruff would."""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeGuard

MAX_LENGTH = 10_000
MAX_DEPTH = 60  # of a tree, which is walked recursively


class ExpressionProblem(ValueError):
    """A message about part of an expression's text."""

    def __init__(self, message: str, offset: int, length: int = 1) -> None:
        super().__init__(message)
        self.message, self.offset, self.length = message, offset, max(length, 1)


class ExpressionProblems(ValueError):
    """Everything that is wrong with an expression: at least one problem."""

    def __init__(self, problems: Iterable[ExpressionProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problem.message for problem in self.problems))


@dataclass(frozen=True)
class Source:
    """An expression's text, able to tell where a node stands in it.

    ``ast`` counts lines from ``first_line``, and columns in UTF-8 bytes.
    """

    text: str
    first_line: int = 1

    def offset(self, node: ast.AST) -> int:
        """The number of characters before the node."""
        return self._offset(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))

    def length(self, node: ast.AST) -> int:
        """The number of characters of the node, or of its first line where it has several."""
        start, line = self.offset(node), getattr(node, "lineno", 1)
        if (getattr(node, "end_lineno", None) or line) > line:
            end = self.text.find("\n", start)
        else:
            end = self._offset(line, getattr(node, "end_col_offset", None) or 0)
        return max(end - start, 1)

    def problem(self, node: ast.AST, message: str) -> ExpressionProblem:
        return ExpressionProblem(message, self.offset(node), self.length(node))

    def _offset(self, line: int, column: int) -> int:
        lines = self.text.split("\n")
        number = min(max(line - self.first_line, 0), len(lines) - 1)
        characters = len(lines[number].encode()[:column].decode(errors="ignore"))
        return sum(len(before) + 1 for before in lines[:number]) + characters


def parse(text: str, example: str = "op.Add(a, b)") -> tuple[Source, list[ast.stmt]]:
    """The statements in the text, which may be indented as a whole.

    Raises:
        ExpressionProblem: it is not Python, or too long or too deep to be walked; the message
            shows ``example``.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionProblem(f"has more than {MAX_LENGTH} characters; write a shorter one", 0)
    if "\0" in text:
        raise ExpressionProblem(
            f"holds a null character; write Python, as in {example}", text.index("\0")
        )
    text = text.replace("\r\n", " \n").replace("\r", "\n").replace("\f", " ")  # as long as before
    first = next((line for line in text.split("\n") if re.match(r"\s*[^\s#]", line)), "")
    indented = first[:1].isspace()
    source = Source(text, 2 if indented else 1)
    try:
        with warnings.catch_warnings(action="ignore"):
            module = ast.parse(f"if True:\n{text}" if indented else text)
    except SyntaxError as error:
        line, column = error.lineno or 1, (error.offset or 1) - 1
        before = text.split("\n")[: max(line - source.first_line, 0)]
        offset = min(sum(len(b) + 1 for b in before) + max(column, 0), max(len(text) - 1, 0))
        raise ExpressionProblem(f"{_fact(error)}; write Python, as in {example}", offset) from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionProblem(f"nested too deeply; write it as flat as {example}", 0) from None
    body = module.body
    if indented and isinstance(module.body[0], ast.If):
        if len(module.body) > 1:
            raise source.problem(module.body[1], "indented less than the lines before; align them")
        body = module.body[0].body
    _check_depth(source, body)
    return source, [_NonFinite().visit(statement) for statement in body]


class _NonFinite(ast.NodeTransformer):
    """``float("inf")``, ``float("-inf")`` and ``float("nan")`` become the constants that they are, as
    which `literal` prints them.
    """

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(
                func=ast.Name(id="float"), args=[ast.Constant(value=str(text))], keywords=[]
            ):
                with suppress(ValueError):
                    if not math.isfinite(value := float(text)):
                        return ast.copy_location(ast.Constant(value), node)
        return node


def _fact(error: SyntaxError) -> str:
    """What is wrong, in CPython's words where they fit an expression in a spec."""
    words = re.sub(r" (\(detected at|on) line \d+\)?", "", error.msg)
    return "not valid Python" if words == "invalid syntax" else f"not valid Python: {words}"


def _check_depth(source: Source, body: list[ast.stmt]) -> None:
    pending: list[tuple[ast.AST, ast.AST, int]] = [(node, node, 1) for node in body]
    while pending:
        node, place, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise source.problem(
                place, f"nested more than {MAX_DEPTH} levels deep; write a flatter expression"
            )
        for child in ast.iter_child_nodes(node):
            pending.append((child, child if hasattr(child, "lineno") else place, depth + 1))


def parse_expression(text: str, example: str = "grad * 2") -> tuple[Source, ast.expr]:
    """The one expression in the text. Raises `ExpressionProblem`."""
    source, body = parse(text, example)
    if len(body) == 1 and isinstance(body[0], ast.Expr):
        return source, body[0].value
    if not body:
        raise ExpressionProblem(f"empty; write an expression, as in {example}", 0, len(text))
    raise source.problem(
        body[len(body) > 1], f"one expression is expected, not a statement, as in {example}"
    )


def dotted(node: ast.expr) -> str | None:
    """``torch.special.digamma`` of names and attributes alone; None of anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base is not None else None
    return None


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
    ast.LShift: ("<<", 10),
    ast.RShift: (">>", 10),
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
    if isinstance(value, tuple):
        return f"({', '.join(literal(item) for item in value)}{',' * (len(value) == 1)})"
    if value is Ellipsis:
        return "..."
    return repr(value).replace("e+", "e") if isinstance(value, float) else repr(value)


def string(text: str) -> str:
    """A Python string literal in ASCII escapes, in the quotes that ruff would keep."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    escapes = {**_ESCAPES, quote: f"\\{quote}"}
    return f"{quote}{''.join(escapes.get(char) or _printable(char) for char in text)}{quote}"


_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def _printable(char: str) -> str:
    if char.isprintable():
        return char
    number = ord(char)
    digits, letter = (2, "x") if number < 0x80 else (4, "u") if number < 0x10000 else (8, "U")
    return f"\\{letter}{number:0{digits}x}"


def show(node: ast.expr, level: int = 0) -> str:
    """The expression's text with minimal parentheses, as part of what binds as tight as ``level``."""
    text, own = _print(node)
    return f"({text})" if own < level else text


def _print(node: ast.expr) -> tuple[str, int]:
    match node:
        case ast.Name(id=name):
            return name, _ATOM
        case ast.Constant(value=value):
            return literal(value), _ATOM
        case ast.Attribute(value=value, attr=attr):
            base = show(value, _ATOM)
            spaced = isinstance(value, ast.Constant) and type(value.value) in (int, float)
            return (f"({base}).{attr}" if spaced else f"{base}.{attr}"), _ATOM
        case ast.Call(func=func, args=args, keywords=keywords) if all(k.arg for k in keywords):
            parts = [show(arg, 1) for arg in args]
            parts += [f"{word.arg}={show(word.value, 1)}" for word in keywords]
            return f"{show(func, _ATOM)}({', '.join(parts)})", _ATOM
        case ast.Starred(value=value):
            return f"*{show(value, _ATOM)}", _ATOM
        case ast.Subscript(value=value, slice=index):
            return f"{show(value, _ATOM)}[{_index(index)}]", _ATOM
        case ast.List(elts=items):
            return f"[{', '.join(show(item, 1) for item in items)}]", _ATOM
        case ast.ListComp(elt=elt, generators=[loop]) if not loop.ifs:
            target = show(loop.target, 1).strip("()")
            return f"[{show(elt, 1)} for {target} in {show(loop.iter, 3)}]", _ATOM
        case ast.Tuple(elts=items):
            inner = ", ".join(show(item, 1) for item in items)
            return f"({inner},)" if len(items) == 1 else f"({inner})", _ATOM
        case _:
            return _operation(node)


def _operation(node: ast.expr) -> tuple[str, int]:
    match node:
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            beside = right.left if _is_power(right) else right
            in_brackets = isinstance(left, ast.UnaryOp)
            hug = _is_simple(left) and _is_simple(beside) and not in_brackets
            sign = "**" if hug else " ** "
            return f"{show(left, 15)}{sign}{show(right, 13)}", 14
        case ast.BinOp(left=left, op=op, right=right):
            sign, level = _BINARY[type(op)]
            return f"{show(left, level)} {sign} {show(right, level + 1)}", level
        case ast.UnaryOp(op=op, operand=operand):
            sign, level = _UNARY[type(op)]
            return f"{sign}{show(operand, _ATOM if _is_power(operand) else level)}", level
        case ast.Compare(left=left, ops=ops, comparators=others):
            text = show(left, _COMPARISON + 1)
            for sign_node, other in zip(ops, others, strict=True):
                text += f" {_COMPARE[type(sign_node)]} {show(other, _COMPARISON + 1)}"
            return text, _COMPARISON
        case ast.BoolOp(op=op, values=values):
            level = _AND if isinstance(op, ast.And) else _OR
            sign = " and " if level == _AND else " or "
            return sign.join(show(value, level + 1) for value in values), level
        case ast.IfExp(test=test, body=body, orelse=orelse):
            text = f"{show(body, _CONDITIONAL + 1)} if {show(test, _CONDITIONAL + 1)}"
            return f"{text} else {show(orelse, _CONDITIONAL)}", _CONDITIONAL
        case _:
            raise TypeError(f"no text for {type(node).__name__}")


def _index(node: ast.expr) -> str:
    if isinstance(node, ast.Slice):
        return _slice(node)
    if isinstance(node, ast.Tuple) and node.elts:
        inner = ", ".join(
            _slice(item) if isinstance(item, ast.Slice) else show(item, 1) for item in node.elts
        )
        return f"{inner}," if len(node.elts) == 1 else inner
    return show(node, 1)


def _slice(node: ast.Slice) -> str:
    """Spaces stand beside a colon where a bound is more than a name or a literal."""
    bounds = [node.lower, node.upper, *([node.step] if node.step else [])]
    if all(bound is None or _is_plain(bound) for bound in bounds):
        return ":".join(show(bound, 1) if bound else "" for bound in bounds)
    lower, *others = [show(bound, 1) if bound else "" for bound in bounds]
    text = f"{lower} :" if lower else ":"
    for position, bound in enumerate(others):
        if position:
            text += " :" if others[0] else ":"
        text += f" {bound}" if bound else ""
    return text


def _is_plain(node: ast.expr) -> bool:
    while isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        node = node.operand
    return isinstance(node, ast.Name | ast.Constant)


def _is_power(node: ast.expr) -> TypeGuard[ast.BinOp]:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)


def _is_simple(node: ast.expr) -> bool:
    """Whether ruff writes ``**`` without spaces beside this operand."""
    match node:
        case ast.UnaryOp(op=op, operand=operand):
            return not isinstance(op, ast.Not) and _is_simple(operand)
        case ast.Constant(value=value):
            return value is None or isinstance(value, int | float)
        case ast.Attribute(value=value):
            return _is_simple(value)
        case _:
            return isinstance(node, ast.Name)
