"""[kernel] python → a Python function: PyTorch's operators, composed."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

from ..schema.signature import OpSchema
from ..words import pyexpr
from ..words.pyexpr import ExpressionProblem, ExpressionProblems, Source
from .composed_names import Names
from .in_place import changes
from .statements import statement_problems

_STRINGS = ("STRING", "FSTRING_MIDDLE")  # what tokenize calls them; the latter since Python 3.12


@dataclass(frozen=True)
class Function:
    """A function's body, its lines without an indent, and what its module has to import.

    ``modules`` are what ``import`` takes, ``names`` modules and the names taken from them.
    """

    body: str
    modules: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    makes_sizes: bool


@dataclass(frozen=True)
class Composed:
    """The kernel, and the fake kernel where it is not the kernel itself."""

    function: Function
    fake: Function | None


def parse(
    text: str, schema: OpSchema | None, modules: tuple[str, ...] = (), *, is_fake: bool = False
) -> Function:
    """The function in the text: an expression, or statements of which the last one returns.

    ``modules`` are those that the spec requires, which the code may name. Without a schema, every
    name may be an argument's.

    Raises:
        ExpressionProblems: all that is wrong with it.
    """
    example = "a.new_empty(a.shape)" if is_fake else "2 * a + b"
    try:
        source, body = pyexpr.parse(text, example)
    except ExpressionProblem as problem:
        raise ExpressionProblems([problem]) from None
    if not body:
        raise ExpressionProblems([ExpressionProblem(f"empty; write {example}, say", 0, len(text))])
    tokens = _tokens(source)
    names = Names(source, schema, modules, is_fake=is_fake)
    problems = [
        *statement_problems(source, body, schema.results if schema else ()),
        *_string_problems(source, tokens),
        *changes(source, body, schema),
    ]
    try:
        problems += names.check(body, _compiled(source, body, schema))
    except ExpressionProblem as problem:
        problems = problems or [problem]
    if problems:
        raise ExpressionProblems(problems)
    return Function(
        _laid_out(source, body, tokens),
        tuple(sorted(names.modules)),
        tuple(sorted(names.taken)),
        names.makes_sizes,
    )


def _tokens(source: Source) -> list[tokenize.TokenInfo]:
    text = f"if True:\n{source.text}" if source.first_line > 1 else source.text
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):  # it has been parsed, so this is not to be expected
        return []
    return [token for token in found if token.start[0] >= source.first_line]


def _string_problems(
    source: Source, tokens: list[tokenize.TokenInfo]
) -> Iterator[ExpressionProblem]:
    """A string over several lines, whose text a new indent would change."""
    starts: list[tuple[int, int]] = []
    for token in tokens:
        kind, start, end = tokenize.tok_name[token.type], token.start, token.end
        if kind == "FSTRING_START":
            starts.append(start)
            continue
        if kind == "FSTRING_END" and starts:
            start = starts.pop()
        elif kind not in _STRINGS or starts:
            continue
        if start[0] != end[0]:
            node = _place(start[0], start[1])
            yield source.problem(node, "a string over several lines; write it on one, with \\n")


def _place(line: int, column: int) -> ast.AST:
    """A stand-in for a node that begins there."""
    return ast.Pass(lineno=line, col_offset=column, end_lineno=line, end_col_offset=column + 1)


def _compiled(source: Source, body: list[ast.stmt], schema: OpSchema | None) -> CodeType:
    """The module of a function with the body, not run. Raises `ExpressionProblem` for what Python refuses
    only once it compiles it: a break outside a loop, say.
    """
    # A name that two arguments have is the schema's fault, which is noted.
    names = {argument.name: None for argument in schema.free} if schema else {}
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    function = ast.FunctionDef("f", arguments, body, [], None, None)
    module = ast.fix_missing_locations(ast.Module([function], []))
    try:
        with warnings.catch_warnings(action="ignore"):
            return compile(module, "kernel", "exec", dont_inherit=True, optimize=0)
    except SyntaxError as error:
        place = _place(error.lineno or source.first_line, max((error.offset or 1) - 1, 0))
        fact = f"not valid Python: {error.msg}; write it as Python would"
        raise source.problem(place, fact) from None
    except (ValueError, RecursionError, MemoryError):
        fact = "Python does not compile it; write it in a simpler way"
        raise ExpressionProblem(fact, 0) from None


def _laid_out(source: Source, body: list[ast.stmt], tokens: list[tokenize.TokenInfo]) -> str:
    """The body, without an indent: an expression on a line of its own, lines as they are."""
    has_comments = any(token.type == tokenize.COMMENT for token in tokens)
    match body:
        case [ast.Expr(value=value)] if not has_comments:
            return _printed(value) or _with_return(source, tokens)
        case [ast.Expr()]:
            return _with_return(source, tokens)
        case [ast.Return(value=ast.expr() as value)] if "\n" not in source.text.strip():
            return (not has_comments and _printed(value)) or _verbatim(source.text, tokens)
        case _:
            return _verbatim(source.text, tokens)


def _printed(value: ast.expr) -> str:
    """``return`` and the expression; empty where it is of a kind that formulas do not have."""
    try:
        return f"return {pyexpr.show(value)}"
    except TypeError:
        return ""


def _with_return(source: Source, tokens: list[tokenize.TokenInfo]) -> str:
    """An expression as it is written, behind a ``return``."""
    first = _first(tokens)
    row, column = (first.start[0] - source.first_line, first.start[1]) if first else (0, 0)
    lines = source.text.split("\n")
    lines[row] = f"{lines[row][:column]}return {lines[row][column:]}"
    return _verbatim("\n".join(lines), tokens)


def _first(tokens: list[tokenize.TokenInfo]) -> tokenize.TokenInfo | None:
    """The first token of the code itself."""
    blank = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return next((token for token in tokens if token.type not in blank), None)


def _verbatim(text: str, tokens: list[tokenize.TokenInfo]) -> str:
    """The lines as they are, but for the indent that all have, for tabs in it, and for blank ends.

    A comment may stand to the left of the code, and so may what continues a line in brackets.
    """
    lines = [_with_spaces(line.rstrip()) for line in text.split("\n")]
    first = _first(tokens)
    indent = len(_with_spaces(first.line[: first.start[1]] + "x")) - 1 if first else 0
    lines = [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines]
    return "\n".join(lines).strip("\n")


def _with_spaces(line: str) -> str:
    """The line with four spaces for each tab of its indent, as ruff formats it."""
    indent = re.match(r"[ \t]*", line)
    assert indent is not None  # it may be empty
    return indent.group().replace("\t", "    ") + line[indent.end() :]
