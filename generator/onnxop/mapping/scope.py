"""What a mapping has assigned and computed so far, and the names that are still free."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..schema.signature import UNKNOWN_TYPE, Argument, OpSchema
from ..words import names, pyexpr
from ..words.pyexpr import ExpressionProblem, Source
from . import scalars
from .graph import (
    ElementType,
    Found,
    Let,
    Scalar,
    Statement,
    Tensor,
    Tensors,
    Unknown,
    without_types_like,
)

_AT_LENGTH = 16  # parts of an expression
_TAKEN = frozenset(
    "Any bool constant float int ir list omitted op opset rank str symbolic symbolic_helper torch translation".split()
)
"""What the code of a mapping may name besides its own: modules, types and functions."""


@dataclass
class Side:
    """One side of a branch; ``own`` are the tensors that are given in it alone."""

    own: set[str]
    statements: tuple[Statement, ...] = ()
    assigned: dict[str, Found] = field(default_factory=dict)
    results: tuple[Found, ...] = ()

    def seen(self, value: Found) -> Found:
        """The value as it is seen from outside."""
        return without_types_like(value, self.own)


@dataclass(frozen=True)
class Function:
    """A function, and what names stood for where it was defined."""

    node: ast.FunctionDef | ast.Lambda
    names: dict[str, Found]


class Reader(Protocol):
    """What reads expressions, lists and conditions in one another."""

    def read(self, node: ast.expr, hint: str = "") -> Found:
        """The value; `Unknown` once a problem is noted."""

    def given(self, node: ast.expr) -> Found:
        """The value, which must not be a non-tensor that may be None."""


class Scope:
    """The values that ``names`` stand for, the ``statements`` that compute them, and the
    ``problems`` on the way.
    """

    def __init__(self, source: Source, schema: OpSchema | None) -> None:
        self.source = source
        self.is_open = schema is None  # any name may be an argument's
        self.names: dict[str, Found] = {}  # what may be read: arguments, and what was assigned
        for argument in schema.free if schema else ():
            self.names[argument.name] = _value_of(argument)
        self.arguments = tuple(self.names)
        self.functions: dict[str, Function] = {}
        self.held = {a.name: a.type for a in schema.arguments if a.is_held} if schema else {}
        self.items: set[str] = set()  # tensors of lists that the operator is given
        self.asked: set[str] = set()  # tensors whose sizes are asked for
        self.statements: list[Statement] = []
        self.problems: list[ExpressionProblem] = []
        self._sides = 0  # of branches that it is in
        self._given: frozenset[str] = frozenset()  # names that are known not to be None
        self._taken = {*self.names, *self.held, *_TAKEN}
        self._numbers: dict[str, int] = {}  # the last one behind a name that was taken

    def is_given(self, name: str) -> bool:
        return name in self._given

    def reserve(self, body: list[ast.stmt]) -> None:
        """Keeps the names of nodes off those of the functions that the mapping calls."""
        called = (
            node.func for part in body for node in ast.walk(part) if isinstance(node, ast.Call)
        )
        self._taken |= {func.id for func in called if isinstance(func, ast.Name)}

    def fresh(self, wanted: str) -> str:
        """A name for the generated code, whose own helpers start with an underscore."""
        name = wanted.lstrip("_") or "value"
        base = name[: names.MAX_LENGTH - len("_10000")]
        if names.problem_with(f"{base}_2"):  # nor would any other number help
            name = base = "value"
        while name in self._taken or names.problem_with(name):
            self._numbers[base] = number = self._numbers.get(base, 1) + 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name

    def has_sizes(self, name: str) -> bool:
        return name in self.arguments or name in self.items

    @contextmanager
    def knowing(self, names_given: frozenset[str]) -> Iterator[None]:
        """Within it, these names are known not to be None."""
        before, self._given = self._given, self._given | names_given
        try:
            yield
        finally:
            self._given = before

    @contextmanager
    def side(self, given: frozenset[str]) -> Iterator[Side]:
        """Within it, what is read belongs to one side of a branch, in which these names are not
        None.
        """
        tensors = [self.names.get(name) for name in given]
        own = {t.name for t in tensors if isinstance(t, Tensor) and t.may_be_none}
        side = Side(own)
        (outer, self.statements), before = (self.statements, []), self.names
        functions, self.functions = self.functions, dict(self.functions)
        self.names = dict(before)
        self._sides += 1
        try:
            with self.knowing(given):
                yield side
        finally:
            self._sides -= 1
            side.statements, self.statements = tuple(self.statements), outer
            side.assigned = {n: v for n, v in self.names.items() if before.get(n) is not v}
            self.names, self.functions = before, functions

    def kept(self, name: str, value: Found) -> Found:
        """A value that is assigned: what Python computes at length is computed once."""
        if self._sides or not isinstance(value, Scalar):
            return value
        if len(list(ast.walk(value.node))) < _AT_LENGTH:
            return value
        fresh = self.fresh(name)
        self.statements.append(Let(fresh, pyexpr.show(value.node)))
        return replace(value, node=ast.Name(fresh))


def _value_of(argument: Argument) -> Found:
    if argument.is_tensor:
        kind = ElementType(like=argument.name)
        if not argument.is_list:
            return Tensor(argument.name, kind, argument.is_optional)
        return Tensors(argument.name, kind, argument.has_optional_items)
    return Unknown() if argument.type == UNKNOWN_TYPE else scalars.of_argument(argument)
