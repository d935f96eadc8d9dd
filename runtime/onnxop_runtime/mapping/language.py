"""A mapping's text → a function of ``op`` and the arguments, restricted to an allow-list."""

from __future__ import annotations

import ast
import io
import linecache
import re
import tokenize
import warnings
from collections.abc import Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from . import allowed
from .problems import MappingError, MappingProblem, error, span_here, span_of
from .running import Budget, Guards

_MAX_LENGTH = 10_000
_MAX_DEPTH = 60  # of a tree, which is walked recursively
_OLDEST_PYTHON = (3, 11)  # that packages run in; a newer one may read the spec
FAILURES = (
    *(ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError),
    RecursionError,
)
"""The exceptions that a mapping may raise when it runs."""


@lru_cache(maxsize=1024)  # called for the check, and again for the function
def read(
    text: str, parameters: tuple[str, ...] | None, filename: str
) -> tuple[ast.FunctionDef, Sequence[MappingProblem], CodeType | None]:
    """Return the function ``to_onnx(op, *parameters)`` of a mapping's text, its problems, and its
    code if there are none. It takes ``opset`` by keyword if the text uses it. ``parameters``: None
    if unknown. Raise MappingError if the text is not Python.
    """
    tree = _function(text, parameters or ())
    problems = allowed.problems(tree.body, parameters)
    if problems:
        return tree, problems, None
    guarded = Guards().visit(_function(text, parameters or ()))
    module = ast.Module([guarded], type_ignores=[])
    try:
        with warnings.catch_warnings(action="ignore"):
            return tree, (), compile(module, filename, "exec")
    except SyntaxError as problem:
        return tree, _invalid(problem).problems, None


def _function(text: str, parameters: Sequence[str]) -> ast.FunctionDef:
    tree: Any = ast.parse("def to_onnx(): pass").body[0]
    tree.body = _parsed(text)
    tree.args.args = [ast.arg(name) for name in dict.fromkeys(("op", *parameters))]
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if "opset" in names - {*parameters}:
        tree.args.kwonlyargs, tree.args.kw_defaults = [ast.arg("opset")], [None]
    located_tree: ast.FunctionDef = ast.fix_missing_locations(tree)
    return located_tree


def _parsed(text: str) -> list[ast.stmt]:
    """Return the statements of a text: an expression, or lines that may be indented as a whole."""
    _check_characters(text)
    # As many characters as before, so that places in the text stay.
    body = _statements(text.replace("\r\n", " \n").replace("\r", "\n"))
    _check_depth(body)
    match body:
        case [ast.Expr(value=value) as line]:
            return [ast.copy_location(ast.Return(value), line)]
    return body


def _check_characters(text: str) -> None:
    """Raise MappingError for a text that is too long, or has control characters."""
    if len(text) > _MAX_LENGTH:
        raise error(f"has more than {_MAX_LENGTH} characters", "write a shorter one", ast.Pass())
    if control := _CONTROL.search(text):
        node = ast.Pass(lineno=text.count("\n", 0, control.start()) + 1)
        fact = f"has the control character {control[0]!r}"
        raise error(fact, "write its escape in a string, or a space", node)


def _statements(text: str) -> list[ast.stmt]:
    """Return the statements of lines, which may be indented as a whole, with their places in the
    text.
    """
    is_indented = re.match(r"([ \t]*(#.*)?\n)*[ \t]+[^\s#]", text) is not None
    source = f"if True:\n{text}" if is_indented else text
    try:
        with warnings.catch_warnings(action="ignore"):
            body = ast.parse(source, feature_version=_OLDEST_PYTHON).body
    except SyntaxError as problem:
        problem.lineno = (problem.lineno or 1) - is_indented
        raise _invalid(problem) from None
    except (ValueError, RecursionError, MemoryError):
        raise error("not readable: null characters, or nested too deeply", _EXAMPLE) from None
    if not body:
        raise error("empty", "write op.Add(a, b), for example", ast.Pass())
    _check_no_multiline_strings(source, first_line=2 if is_indented else 1)
    if not is_indented:
        return body
    for statement in body:
        ast.increment_lineno(statement, -1)
    if len(body) > 1:
        raise error("indented less than the lines before", "align them", body[1])
    block = body[0]
    assert isinstance(block, ast.If)
    return block.body


def _check_depth(body: Sequence[ast.AST]) -> None:
    """Raise MappingError if a tree is too deep to be walked recursively."""
    level: list[ast.AST] = [*body]
    for _ in range(_MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    if level:
        fact = f"nested more than {_MAX_DEPTH} levels deep"
        raise error(fact, "write a flatter expression", ast.Pass())


_CONTROL = re.compile("[\0-\x08\x0b-\x0c\x0e-\x1f\x7f\x85\u2028\u2029]")
"""Characters that end a line for some programs and not for others, or that nobody sees."""


def _check_no_multiline_strings(source: str, first_line: int) -> None:
    """Raise MappingError for a string over several lines: a package indents the mapping, and with
    it the lines of the string, which would have another value.
    """
    lines = source.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        (line, column), (end_line, _) = token.start, token.end
        if token.type == tokenize.STRING and line < end_line:
            offset = len(lines[line - 1][:column].encode())
            node = ast.Pass(lineno=line - first_line + 1, col_offset=offset)
            raise error("a string over several lines", "write it on one line, with \\n", node)


_EXAMPLE = "write Python, as in op.Add(a, b)"


def _invalid(problem: SyntaxError) -> MappingError:
    node = ast.Pass(lineno=problem.lineno or 1, col_offset=(problem.offset or 1) - 1)
    if problem.msg.startswith("Exceeds the limit"):  # its remedy is for callers of Python
        return error("this integer does not fit in 64 bits", "write a float, such as 1e20", node)
    return error(f"not valid Python: {problem.msg}", _EXAMPLE, node)


def function(text: str, parameters: Sequence[str], *, filename: str = "<mapping>") -> Any:
    """Return the function of a mapping's text. It runs only allowed code, on numbers and lists of
    bounded size. Raise MappingError if the text is not a mapping.
    """
    tree, problems, code = read(text, tuple(parameters), filename)
    if code is None:
        raise MappingError(problems)
    budget = Budget()
    names = budget.names()
    exec(code, names)  # noqa: S102 - restricted to the allow-list
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    to_onnx = names[tree.name]
    to_onnx.tree, to_onnx.begin = tree, budget.begin
    return to_onnx


def located(problem: BaseException, to_onnx: Any) -> MappingError:
    """Return the error of a mapping that raised, at its place in the text."""
    span = span_here(problem.__traceback__, to_onnx.__code__.co_filename)
    if isinstance(problem, MappingError):
        return problem.at(span)
    nodes = (node for node in ast.walk(to_onnx.tree) if isinstance(node, ast.expr))
    subject = next((ast.unparse(node) for node in nodes if span_of(node) == span), "this")
    reason = (str(problem).strip() or type(problem).__name__).replace("'Value' object", "a tensor")
    return MappingError([MappingProblem(f"{subject} cannot be computed: {reason}", "", span)])
