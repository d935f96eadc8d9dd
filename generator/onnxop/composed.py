"""[kernel] python → a Python function: PyTorch's operators, composed."""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from onnxop import pyexpr, torchnames
from onnxop.errors import did_you_mean, listed
from onnxop.pyexpr import ExpressionProblem, ExpressionProblems, Source
from onnxop.pystatements import Statements
from onnxop.schema import OpSchema

_BUILTINS = frozenset(
    "abs all any bool dict enumerate float int isinstance len list map max min range reversed round "
    "set slice sorted str sum tuple zip True False None".split()
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
_NOT_ALLOWED = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
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
    try:
        source, body = pyexpr.parse(text)
    except ExpressionProblem as problem:
        raise ExpressionProblems([problem]) from None
    names = _Names(source, schema, modules, is_fake=is_fake)
    problems = [*_statement_problems(source, body), *names.check(body)]
    if problems:
        raise ExpressionProblems(problems)
    return Function(
        _laid_out(text, body),
        tuple(sorted(names.modules)),
        tuple(sorted(names.taken)),
        names.makes_sizes,
    )


def _statement_problems(source: Source, body: list[ast.stmt]) -> Iterator[ExpressionProblem]:
    if not body:
        yield ExpressionProblem("empty; write 2 * a + b, say", 0)
        return
    is_alone = len(body) == 1 and isinstance(body[0], ast.Expr)
    last = body[-1]
    if not is_alone and not (isinstance(last, ast.Return) and last.value is not None):
        yield source.problem(last, "the last line must return the result; write return 2 * a, say")
    for part in (node for statement in body for node in ast.walk(statement)):
        if isinstance(part, ast.stmt) and not isinstance(part, _STATEMENTS):
            yield source.problem(
                part, "not allowed here: write expressions, assignments, if, for, raise and return"
            )
        elif isinstance(part, _NOT_ALLOWED):
            yield source.problem(part, "not allowed here; write a torch expression")
        elif isinstance(part, ast.Attribute) and part.attr.startswith("_"):
            yield source.problem(part, f"{part.attr} is private; use PyTorch's public functions")
        elif isinstance(part, ast.Constant) and part.end_lineno != part.lineno:
            yield source.problem(part, "a string over several lines; write it on one")


class _Names:
    """Where every name of the code comes from."""

    def __init__(
        self, source: Source, schema: OpSchema | None, modules: tuple[str, ...], *, is_fake: bool
    ) -> None:
        self._source = source
        self._arguments = [a.name for a in schema.arguments if not a.is_held] if schema else None
        self._modules = {module.partition(".")[0] for module in modules}
        self._is_fake = is_fake
        self.modules: set[str] = set()
        self.taken: set[tuple[str, str]] = set()
        self.makes_sizes = False

    def check(self, body: list[ast.stmt]) -> Iterator[ExpressionProblem]:
        nodes = [node for statement in body for node in ast.walk(statement)]
        assigned = {node.id for node in nodes if isinstance(node, ast.Name) and _is_bound(node)}
        assigned |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        for node in nodes:
            if isinstance(node, ast.Name) and node.id not in assigned:
                yield from self._resolve(node)
            elif isinstance(node, ast.Attribute):
                yield from self._check_attribute(node, assigned)

    def _resolve(self, node: ast.Name) -> Iterator[ExpressionProblem]:
        name = node.id
        if self._arguments is None or name in self._arguments:
            return
        if name in ("torch", "math") or name in self._modules:
            self.modules.add(name)
        elif name == "F":
            self.modules.add("torch.nn.functional as F")
        elif name == NEW_SIZE and self._is_fake:
            self.makes_sizes = True
        elif name in _BUILTINS or _is_exception(name):
            return
        elif name in torchnames.functions():
            self.taken.add(("torch", name))
        elif name in torchnames.functional():
            self.taken.add(("torch.nn.functional", name))
        else:
            known = [*self._arguments, *torchnames.functions(), *torchnames.functional()]
            hint = did_you_mean(name, known) or f"; its arguments: {listed(self._arguments)}"
            yield self._source.problem(
                node, f"{name} is neither an argument nor a function of torch{hint}"
            )

    def _check_attribute(
        self, node: ast.Attribute, assigned: set[str]
    ) -> Iterator[ExpressionProblem]:
        path = _dotted(node.value)
        if path is None or path.partition(".")[0] in {*assigned, *(self._arguments or ())}:
            return
        known = {
            "torch": torchnames.members(),
            "F": torchnames.functional(),
            "torch.nn.functional": torchnames.functional(),
        }.get(path)
        if known and node.attr not in known:
            hint = did_you_mean(node.attr, known) or "; see the PyTorch documentation"
            yield self._source.problem(node, f"{path} has no {node.attr}{hint}")


def _is_bound(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, Exception)


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base is not None else None
    return None


def _laid_out(text: str, body: list[ast.stmt]) -> str:
    """The body, without an indent: an expression is laid out as ruff would, lines stay as they are."""
    if len(body) == 1 and isinstance(body[0], ast.Expr | ast.Return):
        value = body[0].value
        assert value is not None
        try:
            lines = Statements(set()).assign("return ", value, 4)
        except TypeError:  # a kind of expression that formulas do not have: it stays as it is
            written = text.strip().removeprefix("return ")
            return f"return ({written})" if "\n" in written else f"return {written}"
        return "\n".join(line.removeprefix("    ") for line in lines)
    return textwrap.dedent(text).strip("\n").rstrip()
