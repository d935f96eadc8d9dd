"""The mapping's graph: values, nodes and branches, from which both exporters' rules are printed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..words import pyexpr


@dataclass(frozen=True)
class ElementType:
    """An element type: that of a tensor argument (``like``), or one of ONNX's own (``fixed``)."""

    like: str = ""
    fixed: str = ""


@dataclass(frozen=True)
class Tensor:
    """A tensor argument or a node's output. ``type`` is None where it cannot be told."""

    name: str
    type: ElementType | None
    may_be_none: bool = False


@dataclass(frozen=True)
class Constant:
    """A Python expression over the non-tensor arguments, where a tensor is wanted.

    ``type`` is that of the tensors beside it, ``natural`` the one it has where there are none.
    ``is_number``: it may be an integer or a float, so that PyTorch's result depends on which.
    """

    expression: str
    natural: ElementType
    type: ElementType | None = None
    is_number: bool = False


@dataclass(frozen=True)
class Omitted:
    """An optional input that is left out."""


@dataclass(frozen=True)
class Choice:
    """One value or the other, by a condition on the non-tensor arguments."""

    condition: str
    then: Value
    otherwise: Value


@dataclass(frozen=True)
class Scalar:
    """A non-tensor expression; ``type`` is int, float, bool, str, or number (an int or a float),
    with ``[]`` behind it for a list, and with ``?`` where it may be None. ``length`` is a list's,
    where it is known.
    """

    node: ast.expr
    type: str
    length: int | None = None


@dataclass(frozen=True)
class Unknown:
    """What a mistake that is noted already stands for, so that it is noted once only."""


Value = Tensor | Constant | Omitted | Choice


Found = Value | Scalar | Unknown


@dataclass(frozen=True)
class Attribute:
    """A node's attribute: ``kind`` is ONNX's (FLOAT, INTS, ...), ``expression`` is Python."""

    name: str
    kind: str
    expression: str


@dataclass(frozen=True)
class Node:
    """``outputs = op(inputs, attributes)``; the op has ``formal_outputs`` if all are asked for.
    ``place`` is where it is called.
    """

    op: str
    inputs: tuple[Value, ...]
    attributes: tuple[Attribute, ...]
    outputs: tuple[str, ...]
    formal_outputs: int = 1
    place: ast.AST | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Branch:
    """``output`` is computed by one list of statements or by the other."""

    condition: str
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    then_result: Value
    otherwise_result: Value
    output: str


Statement = Node | Branch


@dataclass(frozen=True)
class Graph:
    """The mapping at one opset: statements in order, and the operator's results."""

    statements: tuple[Statement, ...]
    results: tuple[Value, ...]

    def type_of_result(self, place: int) -> ElementType | None:
        """The element type of a result, where it is the same in every branch, and can be told."""
        branches = {branch.output: branch for branch in _branches_of(self.statements)}

        def kinds(value: Value) -> set[ElementType | None]:
            match value:
                case Tensor(name=name) if name in branches:
                    branch = branches[name]
                    return kinds(branch.then_result) | kinds(branch.otherwise_result)
                case Choice(then=then, otherwise=otherwise):
                    return kinds(then) | kinds(otherwise)
                case Tensor(type=kind):
                    return {kind}
                case Constant(natural=natural, type=kind):
                    return {kind or natural}
                case Omitted():
                    return {None}

        found = kinds(self.results[place])
        return found.pop() if len(found) == 1 else None


def form_of(statements: tuple[Statement, ...]) -> list[object]:
    """What must stay for the code of a mapping to stay: everything but the constants' types."""
    return [
        (statement.op, len(statement.inputs), [a.name for a in statement.attributes])
        if isinstance(statement, Node)
        else (form_of(statement.then), form_of(statement.otherwise))
        for statement in statements
    ]


def nodes_of(statements: tuple[Statement, ...]) -> Iterator[Node]:
    """Every node, those in branches included."""
    for statement in statements:
        if isinstance(statement, Node):
            yield statement
        else:
            yield from nodes_of((*statement.then, *statement.otherwise))


def _branches_of(statements: Sequence[Statement]) -> Iterator[Branch]:
    """Every branch, those within others included."""
    for statement in statements:
        if isinstance(statement, Branch):
            yield statement
            yield from _branches_of((*statement.then, *statement.otherwise))


CONSTANT_TYPES = frozenset(
    "FLOAT DOUBLE FLOAT16 BFLOAT16 BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64".split()
)
"""The element types that a number in a mapping can get: those that PyTorch has too."""


TORCH_TYPES = {
    "FLOAT": "float32",
    "DOUBLE": "float64",
    "FLOAT16": "float16",
    "BFLOAT16": "bfloat16",
    "BOOL": "bool",
    **{f"{s}INT{bits}": f"{s.lower()}int{bits}" for s in ("", "U") for bits in (8, 16, 32, 64)},
}
"""PyTorch's names of ONNX's element types."""


ONNX_TYPES = {
    "float": "FLOAT",
    "number": "FLOAT",
    "int": "INT64",
    "bool": "BOOL",
    "str": "STRING",
}


def is_list(value: Found) -> bool:
    return isinstance(value, Scalar) and value.type.endswith("[]")


def type_of(value: Found) -> ElementType | None:
    """The element type that constants beside the value can take over; none of what may be None."""
    match value:
        case Tensor(may_be_none=True):
            return None
        case Tensor(type=kind) | Constant(type=kind):
            return kind
        case Choice(then=then, otherwise=otherwise):
            return type_of(then) or type_of(otherwise)
        case _:
            return None


def as_value(value: Found, kind: ElementType | None) -> Value:
    """The value with its constants given the element type that is wanted, where one is."""
    match value:
        case Scalar():
            is_number = value.type.startswith("number")
            return Constant(pyexpr.show(value.node), natural_type(value), kind, is_number)
        case Constant(type=None):
            return replace(value, type=kind)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            kind = kind or type_of(value)
            return Choice(condition, as_value(then, kind), as_value(otherwise, kind))
        case Unknown():
            return Omitted()
        case _:
            return value


def tensors_in(value: Value) -> set[str]:
    """The tensors that the value is, or may be."""
    match value:
        case Tensor(name=name):
            return {name}
        case Choice(then=then, otherwise=otherwise):
            return tensors_in(then) | tensors_in(otherwise)
        case _:
            return set()


def sources(value: Value, statements: Sequence[Statement]) -> set[str]:
    """The tensors that the value is, or may be: arguments and outputs of nodes, not of branches."""
    branches = {branch.output: branch for branch in _branches_of(statements)}
    found: set[str] = set()
    for name in tensors_in(value):
        branch = branches.get(name)
        sides = (branch.then_result, branch.otherwise_result) if branch else ()
        for side in sides:
            found |= sources(side, statements)
        found |= set() if branch else {name}
    return found


def may_be_omitted(value: Found) -> bool:
    if isinstance(value, Choice):
        return may_be_omitted(value.then) or may_be_omitted(value.otherwise)
    return isinstance(value, Omitted) or (isinstance(value, Tensor) and value.may_be_none)


def natural_type(value: Scalar) -> ElementType:
    return ElementType(fixed=ONNX_TYPES[value.type.removesuffix("?").removesuffix("[]")])


def without_types_like(value: Found, tensors: set[str]) -> Found:
    """The value as it is seen from outside the branch in which alone these tensors are given:
    constants elsewhere cannot take over their element types.
    """
    match value:
        case Tensor(type=ElementType(like=name)) if name in tensors:
            return replace(value, type=None)
        case Choice(then=then, otherwise=otherwise):
            return replace(
                value,
                then=as_value(without_types_like(then, tensors), None),
                otherwise=as_value(without_types_like(otherwise, tensors), None),
            )
        case _:
            return value
