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
class Tensors:
    """A list of tensors: an argument, or one that statements make. Its ``type`` is that of the first;
    ``of_each`` where all have it. ``length`` is known of what is written out.
    """

    name: str
    type: ElementType | None
    may_have_none: bool = False
    length: int | None = None
    of_each: ElementType | None = None


@dataclass(frozen=True)
class Spread:
    """The tensors of a list, each an input of its own: ``*tensors``."""

    tensors: Tensors


@dataclass(frozen=True)
class Omitted:
    """An optional input, or a result, that is left out."""


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


Value = Tensor | Constant | Omitted | Choice | Tensors | Spread


Found = Value | Scalar | Unknown


@dataclass(frozen=True)
class Attribute:
    """A node's attribute: ``kind`` is ONNX's (FLOAT, INTS, ...), ``expression`` is Python."""

    name: str
    kind: str
    expression: str


@dataclass(frozen=True)
class Body:
    """A graph within a node, its ``attribute``: the code calls it ``name``. Its statements may take
    what is known around the node.
    """

    attribute: str
    name: str
    inputs: tuple[str, ...]
    statements: tuple[Statement, ...]
    results: tuple[Value, ...]


@dataclass(frozen=True)
class Node:
    """``outputs = op(inputs, attributes, bodies)``; the op has ``formal_outputs`` if all are asked
    for. ``place`` is where it is called.
    """

    op: str
    inputs: tuple[Value, ...]
    attributes: tuple[Attribute, ...]
    outputs: tuple[str, ...]
    formal_outputs: int = 1
    place: ast.AST | None = field(default=None, compare=False, repr=False)
    bodies: tuple[Body, ...] = ()


@dataclass(frozen=True)
class Branch:
    """``outputs`` are computed by one list of statements or by the other."""

    condition: str
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    then_results: tuple[Value, ...]
    otherwise_results: tuple[Value, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class Each:
    """``output`` is the list of what the statements make for each item of a list of numbers or
    tensors, which the ``variables`` stand for; ``over`` are the tensors that the list holds.
    """

    variables: tuple[str, ...]
    items: str
    over: frozenset[str]
    statements: tuple[Statement, ...]
    result: Value
    output: str


@dataclass(frozen=True)
class Listed:
    """``output`` is the list of the values, those of lists one by one."""

    values: tuple[Value, ...]
    output: str


@dataclass(frozen=True)
class Item:
    """``output`` is an item of a list of tensors, or some of them; ``index`` is Python."""

    tensors: str
    index: str
    output: str


@dataclass(frozen=True)
class Set:
    """``outputs`` are these values from here on."""

    outputs: tuple[str, ...]
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Repeat:
    """The statements once for each item of a list, as `Each` has it; the last one sets the values
    that one round hands to the next.
    """

    variables: tuple[str, ...]
    items: str
    over: frozenset[str]
    statements: tuple[Statement, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class Let:
    """``output`` is a Python expression over the non-tensor arguments."""

    output: str
    expression: str


Statement = Node | Branch | Each | Listed | Item | Set | Repeat | Let


@dataclass(frozen=True)
class Graph:
    """The mapping at one opset: statements in order, and the operator's results. ``choices`` are
    what its conditions on the opset came to, ``asked`` the tensors whose sizes it asks for.
    """

    statements: tuple[Statement, ...]
    results: tuple[Value, ...]
    choices: tuple[bool, ...] = ()
    asked: frozenset[str] = frozenset()

    def type_of_result(self, place: int) -> ElementType | None:
        """The element type of a result, where it is the same in every branch, and can be told."""
        sides = _sides(self.statements)

        def kinds(value: Value) -> set[ElementType | None]:
            match value:
                case Tensor(name=name) if name in sides:
                    return {kind for side in sides[name] for kind in kinds(side)}
                case Choice(then=then, otherwise=otherwise):
                    return kinds(then) | kinds(otherwise)
                case Tensor(type=kind):
                    return {kind}
                case Constant(natural=natural, type=kind):
                    return {kind or natural}
                case _:
                    return {None}

        found = kinds(self.results[place])
        return found.pop() if len(found) == 1 else None


def form_of(statements: tuple[Statement, ...]) -> list[object]:
    """What must stay for the code of a mapping to stay: everything but the constants' types."""
    return [_form_of(statement) for statement in statements]


def _form_of(statement: Statement) -> object:
    match statement:
        case Node(op=op, inputs=inputs, attributes=attributes, bodies=bodies):
            form = op, len(inputs), [attribute.name for attribute in attributes]
            return (*form, *(form_of(body.statements) for body in bodies))
        case Branch(then=then, otherwise=otherwise):
            return form_of(then), form_of(otherwise)
        case Each(statements=inner, items=items) | Repeat(statements=inner, items=items):
            return items, form_of(inner)
        case Let(expression=expression):
            return expression
        case _:
            return type(statement).__name__


def nodes_of(statements: tuple[Statement, ...]) -> Iterator[Node]:
    """Every node, those in branches and in nodes included."""
    for statement in statements:
        if isinstance(statement, Node):
            yield statement
        yield from nodes_of(inner_of(statement))


def inner_of(statement: Statement) -> tuple[Statement, ...]:
    """The statements within a statement."""
    match statement:
        case Branch(then=then, otherwise=otherwise):
            return (*then, *otherwise)
        case Each(statements=statements) | Repeat(statements=statements):
            return statements
        case Node(bodies=bodies):
            return tuple(inner for body in bodies for inner in body.statements)
        case _:
            return ()


def _sides(statements: Sequence[Statement]) -> dict[str, tuple[Value, Value]]:
    """What each output of a branch is on either side, those of branches within others included."""
    found: dict[str, tuple[Value, Value]] = {}
    for statement in statements:
        if isinstance(statement, Branch):
            sides = zip(statement.then_results, statement.otherwise_results, strict=True)
            found |= dict(zip(statement.outputs, sides, strict=True))
        found |= _sides(inner_of(statement))
    return found


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
        case Tensor(type=kind) | Constant(type=kind) | Tensors(type=kind):
            return kind
        case Spread(tensors=tensors):
            return tensors.type
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
    """The tensors that the value is, or may be; of a list, the list."""
    match value:
        case Tensor(name=name) | Tensors(name=name) | Spread(tensors=Tensors(name=name)):
            return {name}
        case Choice(then=then, otherwise=otherwise):
            return tensors_in(then) | tensors_in(otherwise)
        case _:
            return set()


def sources(value: Value, statements: Sequence[Statement]) -> set[str]:
    """The tensors that the value is, or may be: arguments and outputs of nodes, not of branches."""
    sides = _sides(statements)
    found: set[str] = set()
    for name in tensors_in(value):
        for side in sides.get(name, ()):
            found |= sources(side, statements)
        found |= set() if name in sides else {name}
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
