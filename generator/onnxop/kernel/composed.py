"""[kernel] python → a Python function: PyTorch's operators, composed."""

from __future__ import annotations

import ast
import builtins
import io
import math
import re
import tokenize
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..errors import did_you_mean, listed
from ..schema import torchnames
from ..schema.signature import OpSchema
from ..words import pyexpr
from ..words.pyexpr import ExpressionProblem, ExpressionProblems, Source
from . import scopes

_BUILTINS = frozenset(
    "abs all any bool dict enumerate float int isinstance len list map max min range reversed round "
    "set slice sorted str sum tuple zip".split()
)
_STATEMENTS = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Assert,
    ast.Expr,
    ast.For,
    ast.If,
    ast.Pass,
    ast.Raise,
    ast.Return,
    ast.While,
    ast.Break,
    ast.Continue,
    ast.With,
)
_REMEDIES: dict[type[ast.AST], str] = {
    **dict.fromkeys(
        (ast.Import, ast.ImportFrom),
        "no import is needed; remove it: torch, math, F and the modules of requires are there",
    ),
    **dict.fromkeys(
        (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
        "a definition within the kernel is not allowed; write its code where it is used",
    ),
    **dict.fromkeys(
        (ast.Await, ast.Yield, ast.YieldFrom, ast.AsyncFor, ast.AsyncWith),
        "not allowed here; write a torch expression, such as 2 * a",
    ),
    ast.NamedExpr: "not allowed here; write an assignment on a line of its own",
}
_NO_TENSORS = (
    ast.Constant,
    ast.JoinedStr,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_SYSTEM = frozenset(
    "builtins ctypes glob importlib io os pathlib pickle shutil socket subprocess sys tempfile".split()
)  # what a module behind another could be
_STRINGS = ("STRING", "FSTRING_MIDDLE")  # what tokenize calls them; the latter since Python 3.12
NEW_SIZE = "new_dynamic_size"


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
    names = _Names(source, schema, modules, is_fake=is_fake)
    problems = [
        *_statement_problems(source, body, schema.results if schema else ()),
        *_string_problems(source, tokens),
        *_changes(source, body, schema),
        *names.check(body),
    ]
    problems = problems or [*_compile_problems(source, body, schema)]
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


def _statement_problems(
    source: Source, body: list[ast.stmt], wanted: tuple[str, ...]
) -> Iterator[ExpressionProblem]:
    parts = [node for statement in body for node in ast.walk(statement)]
    for part in parts:
        if remedy := _REMEDIES.get(type(part)):
            yield source.problem(part, remedy)
        elif isinstance(part, ast.stmt) and not isinstance(part, _STATEMENTS):
            yield source.problem(
                part, "not allowed here; write expressions, assignments, if, for, raise and return"
            )
        elif isinstance(part, ast.Attribute) and part.attr.startswith("_"):
            yield source.problem(part, f"{part.attr} is private; use PyTorch's public functions")
        elif isinstance(part, ast.Return) and part.value is None:
            yield source.problem(part, "this returns nothing; write return 2 * a, say")
    yield from _result_problems(source, body, parts, wanted)


def _result_problems(
    source: Source, body: list[ast.stmt], parts: list[ast.AST], wanted: tuple[str, ...]
) -> Iterator[ExpressionProblem]:
    """A kernel gives a tensor, or a tuple of as many as are wanted, whichever way it takes. Names
    of no results: how many is not known.
    """
    results = [part.value for part in parts if isinstance(part, ast.Return) and part.value]
    if len(body) == 1 and isinstance(body[0], ast.Expr):
        results.append(body[0].value)
    elif not _always_returns(body) or not any(isinstance(part, ast.Return) for part in parts):
        yield source.problem(body[-1], _no_return(body[-1]))
    for result in results:
        if isinstance(result, ast.Tuple) and len(wanted) != 1:
            yield from _tuple_problems(source, result, wanted)
        elif isinstance(result, _NO_TENSORS) and len(wanted) > 1:
            yield source.problem(
                result, f"the result is no tuple of tensors; write return {', '.join(wanted)}"
            )
        elif isinstance(result, _NO_TENSORS):
            yield source.problem(
                result, "the result is no tensor; write a torch expression, such as 2 * a"
            )


def _tuple_problems(
    source: Source, result: ast.Tuple, wanted: tuple[str, ...]
) -> Iterator[ExpressionProblem]:
    count = len(result.elts)
    is_open = not wanted or any(isinstance(item, ast.Starred) for item in result.elts)
    if count != len(wanted) and not is_open:
        yield source.problem(
            result,
            f"the kernel returns {count} result{'' if count == 1 else 's'}, but the schema "
            f"{len(wanted)} tensors ({listed(wanted)}); write return {', '.join(wanted)}",
        )
    for item in result.elts:
        if isinstance(item, _NO_TENSORS):
            yield source.problem(
                item, "the result is no tensor; write a torch expression, such as 2 * a"
            )


def _no_return(last: ast.stmt) -> str:
    if isinstance(last, ast.If) and any(isinstance(part, ast.Return) for part in ast.walk(last)):
        return "some ways through this if return nothing; write a last line that returns a result"
    return "the last line must return the result; write return 2 * a, say"


def _always_returns(body: list[ast.stmt]) -> bool:
    """Whether no way leads through the statements to their end."""
    for statement in body:
        match statement:
            case ast.Return() | ast.Raise():
                return True
            case ast.If(body=then, orelse=otherwise):
                if otherwise and _always_returns(then) and _always_returns(otherwise):
                    return True
            case ast.With(body=inner):
                if _always_returns(inner):
                    return True
    return False


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


def _changes(
    source: Source, body: list[ast.stmt], schema: OpSchema | None
) -> Iterator[ExpressionProblem]:
    """What would change a tensor of the caller's in place, which an operator must not do."""
    parts = [node for statement in body for node in ast.walk(statement)]
    augmented = {id(part.target) for part in parts if isinstance(part, ast.AugAssign)}
    tensors = _tensors_of_the_caller(parts, schema, augmented)
    for part in parts:
        changed: ast.expr | None = None
        match part:
            case ast.AugAssign(target=ast.Name() | ast.Subscript() as target):
                changed = target
            case ast.Subscript(ctx=ast.Store() | ast.Del()) if id(part) not in augmented:
                changed = part
            case ast.Attribute(ctx=ast.Store() | ast.Del(), attr=attr):
                yield source.problem(
                    part, f"this sets {attr} of an object; give the value a name of its own"
                )
            case ast.Attribute(attr=attr) if attr in torchnames.REACHING:
                yield source.problem(part, torchnames.reaching(attr))
            case ast.keyword(arg="out"):
                yield source.problem(
                    part, "out writes to a tensor; leave it out, and use the result"
                )
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                is_marked = attr.endswith("_") and not attr.startswith("_")
                changed = value if is_marked and attr != "requires_grad_" else None
                if _is_true(part, "inplace") and part.args:
                    changed = part.args[0]
            case ast.Call(args=[first, *_]) if _is_true(part, "inplace"):
                changed = first
        name = _viewed(changed) if changed is not None else None
        if name in tensors:
            yield source.problem(
                part,
                f"this changes {name}, the caller's tensor; write {name} = {name}.clone() above",
            )


def _tensors_of_the_caller(
    parts: list[ast.AST], schema: OpSchema | None, augmented: set[int]
) -> set[str]:
    """The arguments that are tensors, and the locals that are nothing but views of them."""
    tensors = {tensor.name for tensor in schema.tensors} if schema else set()
    given: dict[str, list[ast.expr | None]] = {}
    for part in parts:
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                given.setdefault(name, []).append(value)
            case ast.Name(id=name, ctx=ast.Store()) if id(part) not in augmented:
                given.setdefault(name, []).append(None)
    # The walk comes to the target of an assignment, too: an even number is nothing but those.
    values = {
        name: [value for value in found if value is not None]
        for name, found in given.items()
        if sum(value is None for value in found) * 2 == len(found)
    }
    tensors -= given.keys()  # under a name that is given another value it may be a new tensor
    while new := {
        name
        for name, found in values.items()
        if name not in tensors and all(_viewed(value) in tensors for value in found)
    }:
        tensors |= new
    return tensors


def _viewed(node: ast.expr) -> str | None:
    """The name of the tensor whose memory the expression may be: of ``a``, ``a[0]``, ``a.view(1)``."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Subscript(value=value):
            return _viewed(value)
        case ast.Attribute(value=value, attr=attr) if attr in torchnames.VIEWING:
            return _viewed(value)
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in torchnames.VIEWS:
            return _viewed(value)
        case _:
            return None


def _is_true(node: ast.Call, keyword: str) -> bool:
    return any(
        word.arg == keyword and isinstance(word.value, ast.Constant) and word.value.value is True
        for word in node.keywords
    )


class _Names:
    """Where every name of the code comes from."""

    def __init__(
        self, source: Source, schema: OpSchema | None, modules: tuple[str, ...], *, is_fake: bool
    ) -> None:
        self._source, self._schema, self._is_fake = source, schema, is_fake
        self._arguments = [argument.name for argument in schema.free] if schema else []
        self._modules = {module.partition(".")[0] for module in modules}
        self.modules: set[str] = set()
        self.taken: set[tuple[str, str]] = set()
        self.makes_sizes = False

    def check(self, body: list[ast.stmt]) -> Iterator[ExpressionProblem]:
        if self._schema is None:
            return
        found = scopes.names(body, self._arguments)
        for node in found.early:
            yield self._source.problem(
                node, f"{node.id} is read before it is given a value; rename it, or assign it above"
            )
        for node in found.free:
            if problem := self._resolve(node.id):
                yield self._source.problem(node, problem)
        of_modules = {id(node) for node in found.free}
        for statement in body:
            for part in ast.walk(statement):
                if isinstance(part, ast.Attribute) and id(_root(part)) in of_modules:
                    yield from self._check_attribute(part)

    def _resolve(self, name: str) -> str | None:
        """What is wrong with a name that is no argument and no local, which it imports if nothing."""
        if name in ("torch", "math") or name in self._modules:
            self.modules.add(name)
        elif name == "F":
            self.modules.add("torch.nn.functional as F")
        elif name == NEW_SIZE and self._is_fake:
            self.makes_sizes = True
        elif name in _BUILTINS or _is_exception(name):
            return None
        elif self._schema and name == self._schema.name and _is_function(name):
            return f"{name} is this operator itself; write torch.{name} for PyTorch's"
        elif name == "Tensor" or name in torchnames.FUNCTIONS:
            self.taken.add(("torch", name))
        elif name in torchnames.FUNCTIONAL:
            self.taken.add(("torch.nn.functional", name))
        else:
            return self._unknown(name)
        return None

    def _unknown(self, name: str) -> str:
        if name == NEW_SIZE:
            return f"{name} is a function of fake alone; write the size itself"
        if self._schema and any(a.name == name and a.is_held for a in self._schema.arguments):
            return f"{name} is held at None, since its type means nothing in ONNX; leave it out"
        if hasattr(builtins, name):
            return f"{name} has no place in a kernel; write it with functions of torch"
        known = [
            *torchnames.FUNCTIONS,
            *torchnames.FUNCTIONAL,
            *_BUILTINS,
            *([NEW_SIZE] if self._is_fake else []),
        ]
        hint = did_you_mean(name, self._arguments) or did_you_mean(name, known)
        hint = hint or f"; its arguments: {listed(self._arguments)}"
        return f"{name} is neither an argument nor a function of torch{hint}"

    def _check_attribute(self, node: ast.Attribute) -> Iterator[ExpressionProblem]:
        path = pyexpr.dotted(node.value) or ""
        whole = f"{path}.{node.attr}"
        modules: dict[str, Collection[str] | None] = {
            "torch": torchnames.MEMBERS,
            "math": frozenset(dir(math)),
            "F": torchnames.FUNCTIONAL,
        }
        known = modules.get(path, torchnames.members(path, of_kernel=True))
        if node.attr.startswith("_") or node.attr in torchnames.REACHING:
            return  # which is noted
        if whole.startswith("torch.ops."):
            if why := torchnames.problem_with_operator(whole):
                yield self._source.problem(node, why)
        elif known is not None and node.attr not in known:
            hint = did_you_mean(node.attr, known) or "; see the PyTorch documentation"
            if node.attr.endswith("_") and node.attr[:-1] in known:
                hint = f" that may change a tensor; write {node.attr[:-1]}"
            yield self._source.problem(node, f"{path} has no {node.attr}{hint}")
        elif node.attr in _SYSTEM:
            yield self._source.problem(
                node, f"{node.attr} is a module of Python's; write it with functions of torch"
            )


def _is_function(name: str) -> bool:
    return name in torchnames.FUNCTIONS or name in torchnames.FUNCTIONAL


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, Exception)


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _compile_problems(
    source: Source, body: list[ast.stmt], schema: OpSchema | None
) -> Iterator[ExpressionProblem]:
    """What Python refuses only once it compiles a function: a break outside a loop, say."""
    names = [argument.name for argument in schema.arguments] if schema else []
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    function = ast.FunctionDef("f", arguments, body, [], None, None)
    module = ast.fix_missing_locations(ast.Module([function], []))
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(module, "kernel", "exec")  # which runs nothing
    except SyntaxError as error:
        place = _place(error.lineno or source.first_line, max((error.offset or 1) - 1, 0))
        yield source.problem(place, f"not valid Python: {error.msg}; write it as Python would")
    except (ValueError, RecursionError, MemoryError):
        yield ExpressionProblem("Python does not compile it; write it in a simpler way", 0)


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
