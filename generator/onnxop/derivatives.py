"""The gradients: torch expressions over the arguments, ``grad`` and ``result``."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from types import EllipsisType

from . import pyexpr, torchnames
from .errors import did_you_mean, listed
from .pyexpr import ExpressionProblem, ExpressionProblems, Source
from .schema import OpSchema

NON_DIFFERENTIABLE = "non_differentiable"

_ALLOWED = (
    ast.Name,
    ast.Constant,
    ast.Attribute,
    ast.Call,
    ast.keyword,
    ast.Subscript,
    ast.Slice,
    ast.List,
    ast.Tuple,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.boolop,
    ast.expr_context,
)


@dataclass(frozen=True)
class Formula:
    """The gradient with respect to one argument: Python code, and the names that it uses."""

    code: str
    uses: tuple[str, ...]


def parse(text: str, schema: OpSchema | None) -> Formula | None:
    """The formula in the text; None for ``non_differentiable``.

    Without a schema, every name may be an argument's, and the formula serves no purpose.

    Raises:
        ExpressionProblems: all that is wrong with it.
    """
    if text.strip() == NON_DIFFERENTIABLE:
        return None
    try:
        source, node = pyexpr.parse_expression(text, "grad * other.cos()")
    except ExpressionProblem as problem:
        raise ExpressionProblems([problem]) from None
    known = ["grad", "result"]
    known[:0] = [argument.name for argument in schema.arguments] if schema else []
    problems: list[ExpressionProblem] = []
    uses: list[str] = []
    for part, parent in _parts(node, None):
        try:
            _check(source, part, parent, known if schema else None)
        except ExpressionProblem as problem:
            problems.append(problem)
        if isinstance(part, ast.Name) and part.id in known and part.id not in uses:
            uses.append(part.id)
    tensors = {"grad", "result"}
    tensors |= {argument.name for argument in schema.tensors} if schema else set()
    if schema and not problems and not tensors.intersection(uses):
        problems.append(
            source.problem(
                node,
                "the gradient must be a tensor: write zeros_like(...) for zero, or "
                f'"{NON_DIFFERENTIABLE}" for none',
            )
        )
    if problems:
        raise ExpressionProblems(problems)
    order = [name for name in known if name in uses]
    functions = _Functions(set(known) | {"torch"})
    return Formula(pyexpr.show(functions.visit(node)), tuple(order))


def _parts(node: ast.AST, parent: ast.AST | None) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Every node and the one it is part of; of one that is not allowed, nothing within."""
    yield node, parent
    if isinstance(node, _ALLOWED):
        for child in ast.iter_child_nodes(node):
            yield from _parts(child, node)


def _check(source: Source, node: ast.AST, parent: ast.AST | None, known: list[str] | None) -> None:
    """Raises `ExpressionProblem` for what no formula can hold. ``known`` None: any name can be."""
    called = isinstance(parent, ast.Call) and parent.func is node
    if not isinstance(node, _ALLOWED):
        raise source.problem(
            node, "not allowed here; write a torch expression, such as grad * other.cos()"
        )
    match node:
        case ast.Attribute():
            _check_attribute(source, node, called, isinstance(parent, ast.Attribute))
        case ast.Constant(value=value) if isinstance(value, bytes | complex | EllipsisType):
            raise source.problem(node, "write real numbers, strings, True, False or None")
        case ast.Call(keywords=keywords):
            _check_keywords(source, keywords)
        case ast.Name(id="torch"):
            if not isinstance(parent, ast.Attribute):
                raise source.problem(node, "torch alone is no value; write torch.exp(x), say")
        case ast.Name(id=name) if called or known is not None:
            if called or name not in (known or ()):
                _check_function(source, node, called, known or [])


def _check_keywords(source: Source, keywords: list[ast.keyword]) -> None:
    seen: set[str] = set()
    for keyword in keywords:
        if keyword.arg is None:
            raise source.problem(keyword.value, "** is not allowed; write the arguments out")
        if keyword.arg in seen:
            raise source.problem(keyword, f"{keyword.arg} is given twice; remove one of them")
        seen.add(keyword.arg)


class _Functions(ast.NodeTransformer):
    """Plain function names become ``torch.<name>``, as in PyTorch's derivatives file."""

    def __init__(self, known: set[str]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._known:
            return node
        return ast.Attribute(ast.Name("torch"), node.id)


def _check_attribute(source: Source, node: ast.Attribute, called: bool, is_base: bool) -> None:
    word = node.attr
    known: Collection[str]
    of_torch = isinstance(node.value, ast.Name) and node.value.id == "torch"
    if word.startswith("_"):
        raise source.problem(node, f"{word} is private; use PyTorch's public functions")
    if of_torch and called:
        known, fact = torchnames.FUNCTIONS, f"torch has no function {word}"
    elif of_torch and is_base:
        known, fact = torchnames.MODULES, f"torch has no public module {word} for formulas"
    elif of_torch:
        known, fact = torchnames.CONSTANTS, f"torch has no constant {word}"
    elif _is_of_module(node):
        return
    elif called:
        known, fact = torchnames.METHODS, f"a tensor has no method {word}"
    else:
        known, fact = torchnames.PROPERTIES, f"a tensor has no attribute {word}"
        if word in torchnames.METHODS:
            raise source.problem(node, f"{word} is a method; call it: {word}()")
    if of_torch and not called and word in torchnames.FUNCTIONS:
        raise source.problem(node, f"torch.{word} is a function; call it: torch.{word}(...)")
    if word not in known:
        hint = did_you_mean(word, known) or "; see the PyTorch documentation"
        raise source.problem(node, f"{fact}{hint}")


def _is_of_module(node: ast.Attribute) -> bool:
    """Whether this is ``torch.<module>.<name>``, such as ``torch.special.digamma``."""
    base: ast.expr = node
    while isinstance(base, ast.Attribute):
        base = base.value
    return isinstance(base, ast.Name) and base.id == "torch"


def _check_function(source: Source, node: ast.Name, called: bool, known: list[str]) -> None:
    if called and node.id in torchnames.FUNCTIONS:
        return
    if called:
        raise source.problem(
            node,
            f"torch has no function {node.id}"
            f"{did_you_mean(node.id, torchnames.FUNCTIONS) or '; see the PyTorch documentation'}",
        )
    raise source.problem(
        node,
        f"{node.id} is no argument of the schema"
        f"{did_you_mean(node.id, known) or '; known here: ' + listed(known)}",
    )
