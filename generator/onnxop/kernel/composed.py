"""`[kernel] python` → a Python function that composes PyTorch's operators."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType

from onnxop_runtime.specs import pyexpr
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.pyexpr import ExpressionProblem, ExpressionProblems, PythonSource

from .composed_names import Names

_STATEMENTS = (
    *(ast.FunctionDef, ast.Return, ast.Raise, ast.Assert, ast.Expr, ast.Pass),
    *(ast.Assign, ast.AnnAssign, ast.AugAssign),
    *(ast.For, ast.While, ast.Break, ast.Continue, ast.If, ast.With),
)


_YIELDS = ast.Yield, ast.YieldFrom  # such a function returns a generator, and no tensor


@dataclass(frozen=True)
class KernelFunction:
    """A function's body, without an indent, and the imports of its module.

    ``modules`` are imported whole; ``names`` are pairs of a module and a name imported from it.
    ``paths`` are operators of required modules: the process that runs them looks at their schemas.
    """

    body: str
    modules: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    makes_sizes: bool
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class Composed:
    """The kernel and its fake kernel; ``fake`` is None if the kernel itself serves as fake
    kernel.
    """

    function: KernelFunction
    fake: KernelFunction | None


def parse_function(
    text: str, schema: OpSchema | None, modules: tuple[str, ...] = (), *, is_fake: bool = False
) -> KernelFunction:
    """Return the function in the text, which is an expression, or statements that end with a
    return. Raise `ExpressionProblems`.

    The code may use ``modules``, which the spec requires. Without a schema, names are not checked.
    """
    example = "a.new_empty(a.shape)" if is_fake else "2 * a + b"
    names = Names(schema, modules, is_fake=is_fake)
    try:
        source, body = pyexpr.parse(text, example)
        if not body:
            raise ExpressionProblem(f"empty; write {example}, for example", 0, len(text))
        code = _compiled(source, body, schema)
    except ExpressionProblem as problem:
        raise ExpressionProblems([problem]) from None
    problems = [*_statement_problems(source, body), *_changes(source, body, schema)]
    problems += names.check(source, body, code)
    if problems:
        raise ExpressionProblems(problems)
    return KernelFunction(
        body=laid_out(source.text),
        modules=tuple(sorted(names.modules)),
        names=tuple(sorted(names.imported)),
        makes_sizes=names.makes_sizes,
        paths=tuple(sorted(names.paths)),
    )


def _compiled(source: PythonSource, body: list[ast.stmt], schema: OpSchema | None) -> CodeType:
    """Compile a function of the body. Raise `ExpressionProblem`, such as for a break outside a
    loop.
    """
    # Two arguments with one name are an error of the schema, reported there.
    names = {argument.name: None for argument in schema.caller_arguments} if schema else {}
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    function = ast.FunctionDef("f", arguments, body, [], None, None)
    module = ast.fix_missing_locations(ast.Module([function], []))
    try:
        with warnings.catch_warnings(action="ignore"):
            return compile(module, "kernel", "exec", dont_inherit=True, optimize=0)
    except SyntaxError as error:
        line, column = error.lineno or source.first_line, max((error.offset or 1) - 1, 0)
        node = ast.Pass(lineno=line, col_offset=column, end_lineno=line, end_col_offset=column + 1)
        fact = f"not valid Python: {error.msg}; correct it"
        raise source.problem(node, fact) from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionProblem("Python cannot compile it; simplify it", 0) from None


def _statement_problems(source: PythonSource, body: list[ast.stmt]) -> Iterator[ExpressionProblem]:
    """Yield the statements that a kernel cannot have, and a missing return."""
    parts = [node for statement in body for node in ast.walk(statement)]
    # Since Python 3.12, the texts within an f-string have places of their own.
    in_f_strings = {id(v) for part in parts if isinstance(part, ast.JoinedStr) for v in part.values}
    functions = [part for part in parts if isinstance(part, ast.FunctionDef | ast.Lambda)]
    in_functions = {id(node) for function in functions for node in ast.walk(function)}
    for part in parts:
        if id(part) in in_f_strings:
            continue
        is_other_statement = isinstance(part, ast.stmt) and not isinstance(part, _STATEMENTS)
        makes_generator = isinstance(part, _YIELDS) and id(part) not in in_functions
        if is_other_statement or makes_generator:
            remedy = "write expressions, assignments, def, if, for, while, with, raise and return"
            if isinstance(part, ast.Import | ast.ImportFrom):
                remedy = "remove it: torch, math, F and the modules of requires are imported"
            yield source.problem(part, f"not allowed here; {remedy}")
        elif isinstance(part, ast.Constant | ast.JoinedStr) and part.end_lineno != part.lineno:
            # Another indent would change its value.
            yield source.problem(
                part, "a string over several lines; write it on one line, with \\n"
            )
    is_expression = len(body) == 1 and isinstance(body[0], ast.Expr)
    outside_functions = [part for part in body if not isinstance(part, ast.FunctionDef)]
    nodes = [node for statement in outside_functions for node in ast.walk(statement)]
    if not is_expression and not any(isinstance(node, ast.Return) for node in nodes):
        yield source.problem(body[-1], "nothing is returned; end with return 2 * a, for example")


def _changes(
    source: PythonSource, body: list[ast.stmt], schema: OpSchema | None
) -> Iterator[ExpressionProblem]:
    """Yield the modifications of arguments and objects that the code shows; the tests of packages
    find others.
    """
    parts = [node for statement in body for node in ast.walk(statement)]
    augmented = {id(part.target) for part in parts if isinstance(part, ast.AugAssign)}
    tensors = {tensor.name for tensor in schema.tensors} if schema else set()
    stored = (p for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store))
    tensors -= {name.id for name in stored if id(name) not in augmented}
    for part in parts:
        if fact := _problem_with_write(part):
            yield source.problem(part, fact)
        changed = None if id(part) in augmented else _modified(part)
        while isinstance(changed, ast.Subscript):
            changed = changed.value
        if isinstance(changed, ast.Name) and changed.id in tensors:
            name = changed.id
            fact = f"this changes {name}, the caller's tensor; write {name} = {name}.clone() above"
            yield source.problem(part, fact)


def _problem_with_write(part: ast.AST) -> str:
    """Return what is wrong with an assignment to an attribute, or an option by which a function
    writes; or "".
    """
    match part:
        case ast.Attribute(ctx=ast.Store(), attr=attr):
            return f"this sets the attribute {attr}; assign the value to a variable"
        case ast.keyword(arg="out" | "inplace" as option, value=value):
            is_off = isinstance(value, ast.Constant) and not value.value
            if not is_off:
                return f"{option} writes to a tensor; leave it out, and use the result"
    return ""


def _modified(part: ast.AST) -> ast.expr | None:
    """Return the expression whose value a statement, or a method such as ``add_``, modifies; None
    if there is none.
    """
    match part:
        case ast.AugAssign(target=target):
            return target
        case ast.Subscript(ctx=ast.Store()):
            return part
        case ast.Attribute(ctx=ast.Store()):
            return None
        case ast.Attribute(value=value, attr=attr) if attr.endswith("_") and attr[0] != "_":
            return value
    return None


def laid_out(text: str) -> str:
    """Return the lines of a function's body without indent; put ``return`` before an expression."""
    text = re.sub(r"^[ \t]+", lambda indent: indent[0].expandtabs(4), text, flags=re.MULTILINE)
    lines = [line.rstrip() for line in text.split("\n")]
    code = [index for index, line in enumerate(lines) if re.match(r"\s*[^\s#]", line)]
    if not code:
        return ""
    first = code[0]
    indent = len(lines[first]) - len(lines[first].lstrip())
    # Comments, and lines inside brackets, may have a smaller indent than the code.
    lines = [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines]
    with warnings.catch_warnings(action="ignore"), suppress(SyntaxError, ValueError):
        match ast.parse("\n".join(lines)).body:
            case [ast.Expr()]:
                lines[first] = f"return {lines[first]}"
    return "\n".join(lines).strip("\n")
