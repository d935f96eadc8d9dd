"""Parse Python expressions of a spec with ``ast``, and print them as ruff does; never evaluate
them.
"""

from __future__ import annotations

import ast
import copy
import io
import math
import re
import tokenize
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

MAX_LENGTH = 10_000
MAX_DEPTH = 60  # of a tree, because it is walked recursively
_OLDEST_PYTHON = (3, 11)  # that packages run in; a newer one may read the spec
_LARGE_INTEGER = "this integer does not fit in 64 bits; write a float, such as 1e20"


class ExpressionProblem(ValueError):
    """An error in an expression: a message, and the part of the text that it is about."""

    def __init__(self, message: str, offset: int, length: int = 1) -> None:
        super().__init__(message)
        self.message, self.offset, self.length = message, offset, max(length, 1)


class ExpressionProblems(ValueError):
    """All errors in an expression, at least one."""

    def __init__(self, problems: Iterable[ExpressionProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problem.message for problem in self.problems))


@dataclass(frozen=True)
class PythonSource:
    """An expression's text, and the places of its nodes.

    ``ast`` counts lines from ``first_line``, and columns in UTF-8 bytes.
    """

    text: str
    first_line: int = 1

    def offset(self, node: object) -> int:
        """Return the number of characters before the node, or any object with ``lineno``."""
        return self._offset(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))

    def length(self, node: object) -> int:
        """Return the number of characters of the node in its first line."""
        start, line = self.offset(node), getattr(node, "lineno", 1)
        if (getattr(node, "end_lineno", None) or line) > line:
            end = self.text.find("\n", start)
        else:
            end = self._offset(line, getattr(node, "end_col_offset", None) or 0)
        return max(end - start, 1)

    def problem(self, node: object, message: str) -> ExpressionProblem:
        return ExpressionProblem(message, self.offset(node), self.length(node))

    def _offset(self, line: int, column: int) -> int:
        lines = self.text.split("\n")
        number = min(max(line - self.first_line, 0), len(lines) - 1)
        characters = len(lines[number].encode()[:column].decode(errors="ignore"))
        return sum(len(before) + 1 for before in lines[:number]) + characters


def parse(text: str, example: str = "op.Add(a, b)") -> tuple[PythonSource, list[ast.stmt]]:
    """Return the statements in the text, which may be indented as a whole. Raise
    `ExpressionProblem`, which shows ``example``, if it is not Python, too long or too deep.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionProblem(f"has more than {MAX_LENGTH} characters; write a shorter one", 0)
    text = text.replace("\r\n", " \n").replace("\r", "\n").replace("\f", " ")  # keeps offsets
    first = next((line for line in text.split("\n") if re.match(r"\s*[^\s#]", line)), "")
    indented = first[:1].isspace()
    source = PythonSource(text, 2 if indented else 1)
    code = f"if True:\n{text}" if indented else text
    try:
        with warnings.catch_warnings(action="ignore"):
            module = ast.parse(code, feature_version=_OLDEST_PYTHON)
    except SyntaxError as error:
        line, column = error.lineno or 1, (error.offset or 1) - 1
        before = text.split("\n")[: max(line - source.first_line, 0)]
        offset = min(sum(len(b) + 1 for b in before) + max(column, 0), max(len(text) - 1, 0))
        message = re.sub(r" (\(detected at|on) line \d+\)?", "", error.msg)  # not the spec's lines
        if message.startswith("Exceeds the limit"):  # its remedy is for callers of Python
            raise ExpressionProblem(_LARGE_INTEGER, offset) from None
        fact = "not valid Python"
        if message != "invalid syntax":
            fact += f": {message}"
        raise ExpressionProblem(f"{fact}; write Python, as in {example}", offset) from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionProblem(f"nested too deeply; write it as flat as {example}", 0) from None
    body = module.body
    if indented and isinstance(module.body[0], ast.If):
        if len(module.body) > 1:
            raise source.problem(module.body[1], "indented less than the lines before; align them")
        body = module.body[0].body
    _check_depth(source, body)
    _check_integers(source, body)
    _check_f_strings(source, code)
    return source, [_NonFinite().visit(statement) for statement in body]


class _NonFinite(ast.NodeTransformer):
    """Replace ``float("inf")`` and ``float("nan")`` by their values, which `literal` prints as
    calls.
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


def _check_depth(source: PythonSource, body: list[ast.stmt]) -> None:
    """Raise ExpressionProblem at the first part that is nested too deeply."""
    pending: list[tuple[ast.AST, ast.AST, int]] = [(node, node, 1) for node in body]
    while pending:
        node, place, depth = pending.pop()
        if depth > MAX_DEPTH:
            fact = f"nested more than {MAX_DEPTH} levels deep"
            raise source.problem(place, f"{fact}; write a flatter expression")
        for child in ast.iter_child_nodes(node):
            pending.append((child, child if hasattr(child, "lineno") else place, depth + 1))


def _check_integers(source: PythonSource, body: list[ast.stmt]) -> None:
    """Raise `ExpressionProblem` for an integer that no dtype holds; Python may not even
    print it.
    """
    for node in (node for statement in body for node in ast.walk(statement)):
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= 2**64:
            raise source.problem(node, _LARGE_INTEGER)


def _check_f_strings(source: PythonSource, code: str) -> None:
    """Raise `ExpressionProblem` for an f-string that has, within its braces, its quotation mark or
    a backslash. Python reads these since 3.12, and has tokens for the parts of f-strings.
    """
    quotes: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        token_type = tokenize.tok_name[token.type]
        if token_type == "FSTRING_END":
            quotes.pop()
        if token_type not in ("FSTRING_START", "STRING"):
            continue
        if any(quote in token.string for quote in quotes) or (quotes and "\\" in token.string):
            fact = "not valid Python 3.11 within the braces of an f-string"
            line = ast.Pass(lineno=token.start[0], col_offset=0)
            raise ExpressionProblem(
                f"{fact}; assign it to a variable, and write the variable there",
                source.offset(line) + token.start[1],
                len(token.string),
            )
        if token_type == "FSTRING_START":
            quotes.append(token.string.lstrip("fFrR"))


def parse_expression(text: str, example: str = "grad * 2") -> tuple[PythonSource, ast.expr]:
    """Return the one expression in the text. Raises `ExpressionProblem`."""
    source, body = parse(text, example)
    if len(body) == 1 and isinstance(body[0], ast.Expr):
        return source, body[0].value
    if not body:
        raise ExpressionProblem(f"empty; write an expression, as in {example}", 0, len(text))
    fact = f"one expression is expected, not a statement, as in {example}"
    raise source.problem(body[len(body) > 1], fact)


def dotted(node: ast.expr) -> str | None:
    """Return the dotted name, such as ``torch.special.digamma``, or None for any other
    expression.
    """
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base is not None else None
    return None


def literal(value: object) -> str:
    """Return the Python literal as ruff formats it, with ``float("inf")`` for infinity."""
    match value:
        case str():
            return string(value)
        case float():
            return repr(value).replace("e+", "e") if math.isfinite(value) else f'float("{value}")'
        case list():
            return f"[{', '.join(map(literal, value))}]"
        case _:
            return "..." if value is Ellipsis else repr(value)


def string(text: str) -> str:
    """Return the Python string literal in the quotes that ruff chooses."""
    shown = repr(text)
    return shown if '"' in text or shown[0] == '"' else f'"{shown[1:-1]}"'


_POWER = re.compile(r"(?<![\w.])(\w[\w.]*) \*\* (?=-?\w[\w.]*(?![\w.(\[]))")


def show(node: ast.expr) -> str:
    """Return the expression's text as ruff formats it, except for spaces in slices. Raise TypeError
    for an f-string.
    """
    printed = _Printed()
    text = ast.unparse(ast.fix_missing_locations(printed.visit(copy.deepcopy(node))))
    text = re.sub(r"\*\* \((-\w[\w.]*)\)", r"** \1", text)  # differs among versions of Python
    text = _POWER.sub(r"\1**", text)
    return re.sub(r"_constant_(\d+)_", lambda match: printed.constants[int(match[1])], text)


class _Printed(ast.NodeTransformer):
    """Prepare a tree for `ast.unparse`: add the brackets that ruff has, and replace constants by
    names.
    """

    def __init__(self) -> None:
        self.constants: list[str] = []

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        self.constants.append(literal(node.value))
        return ast.Name(f"_constant_{len(self.constants) - 1}_")

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        raise TypeError("versions of Python print f-strings differently")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        match node.operand:
            case ast.BinOp(op=ast.Pow()):
                node.operand = _bracketed(node.operand)
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Constant):
            node.value = _bracketed(node.value)
        return self.generic_visit(node)  # type: ignore[return-value]


def _bracketed(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(""), [node], [])
