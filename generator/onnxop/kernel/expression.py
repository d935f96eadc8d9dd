"""An expression for one element, as a tree, and what can be told of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from .tokens import COMPARISONS, LOGICAL, PREDICATES, TRUTHS


@dataclass(frozen=True)
class Number:
    """A decimal literal, as written; or ``true`` or ``false``."""

    text: str
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Name:
    """An argument."""

    name: str
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Unary:
    """`-`, `+` or `!`, which stands at `offset`, of one operand."""

    operator: str
    operand: Expression
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Binary:
    """An arithmetic, comparison or logical operator, which stands at `offset`, of two operands."""

    operator: str
    left: Expression
    right: Expression
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Conditional:
    """`test ? then : otherwise`, with the `?` at `offset`."""

    test: Expression
    then: Expression
    otherwise: Expression
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True)
class FunctionCall:
    """A function of <cmath>, whose name stands at `offset`."""

    function: str
    arguments: tuple[Expression, ...]
    offset: int = field(default=0, compare=False)


Expression = Number | Name | Unary | Binary | Conditional | FunctionCall


def names(expression: Expression) -> dict[str, int]:
    """Every argument used and the offset of its first use, in order of first appearance."""
    found: dict[str, int] = {}
    for node in _walk(expression):
        if isinstance(node, Name):
            found.setdefault(node.name, node.offset)
    return found


def functions(expression: Expression) -> list[str]:
    """Every function called, sorted."""
    return sorted({node.function for node in _walk(expression) if isinstance(node, FunctionCall)})


def is_integer_exact(expression: Expression) -> bool:
    """Whether integer element types give what real numbers give, up to wrap-around.

    So: integer literals, names, + - *, comparisons, && || !, ?: and abs; no division and no other
    function.
    """
    return all(_is_exact_step(node) for node in _walk(expression))


def _is_exact_step(node: Expression) -> bool:
    match node:
        case Number(text=text):
            return text.isdigit() or text in TRUTHS
        case Binary(operator=operator):
            return operator != "/"
        case FunctionCall(function=function):
            return function == "abs"
    return True


def is_boolean_exact(expression: Expression) -> bool:
    """Whether truth values as elements give what PyTorch's bool tensors give.

    So: names, true, false, 0 and 1, comparisons, && || ! and ?:; no arithmetic and no function.
    """
    return all(_is_boolean_step(node) for node in _walk(expression))


def _is_boolean_step(node: Expression) -> bool:
    match node:
        case Number(text=text):
            return text in ("0", "1", *TRUTHS)
        case Unary(operator=operator):
            return operator == "!"
        case Binary(operator=operator):
            return operator in COMPARISONS or operator in LOGICAL
        case FunctionCall():
            return False
    return True


def is_condition(node: Expression, booleans: Collection[str]) -> bool:
    """Whether the value is a truth value, where the names ``booleans`` are."""
    match node:
        case Number(text=text):
            return text in TRUTHS
        case Name(name=name):
            return name in booleans
        case Unary(operator=operator):
            return operator == "!"
        case Binary(operator=operator):
            return operator in COMPARISONS or operator in LOGICAL
        case Conditional(then=then, otherwise=otherwise):
            return is_condition(then, booleans) and is_condition(otherwise, booleans)
        case FunctionCall(function=function):
            return function in PREDICATES


def _walk(expression: Expression) -> Iterator[Expression]:
    """Every node, in the order of the text as far as names go."""
    pending = [expression]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(children(node)))


def children(node: Expression) -> tuple[Expression, ...]:
    """What a node is made of, in the order of the text."""
    match node:
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Conditional(test=test, then=then, otherwise=otherwise):
            return (test, then, otherwise)
        case FunctionCall(arguments=arguments):
            return arguments
    return ()
