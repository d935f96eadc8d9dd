"""Mapping → rule: the mapping at a range of opsets, as the one Python function that a package has of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..mapping.graph import (
    Body,
    Branch,
    Choice,
    Constant,
    Each,
    Graph,
    Item,
    Let,
    Listed,
    Node,
    Omitted,
    Repeat,
    Set,
    Spread,
    Statement,
    Tensor,
    Tensors,
    Value,
    tensors_in,
)
from ..schema.signature import OpSchema
from ..spec.model import Mapping
from ..words import pyexpr
from .lines import joined, skipped


@dataclass(frozen=True)
class Rule:
    """``def name(op, *arguments)`` and its body, and the opsets at which it holds."""

    name: str
    opsets: range
    arguments: tuple[str, ...]
    body: tuple[str, ...]


def rules(mapping: Mapping, schema: OpSchema) -> tuple[Rule, ...]:
    """The mapping's forms: one function where it has the same form at all opsets."""
    arguments = tuple(argument.name for argument in schema.free)
    found: list[Rule] = []
    for opsets, graph in mapping.bodies:
        name = "rule" if len(mapping.bodies) == 1 else f"rule_{opsets.start}"
        found.append(Rule(name, opsets, arguments, tuple(_body(graph))))
    return tuple(found)


def _body(graph: Graph) -> list[str]:
    """The statements; the last one's value is returned at once where it is the result."""
    statements, _ = _read_only(graph.statements, _read_by(graph.results), graph.asked)
    lines = _spaced(_returning(statements, graph.results, 4))
    return _without_unread(lines, [s.output for s in statements if isinstance(s, Let)])


def _returning(
    statements: tuple[Statement, ...], results: tuple[Value, ...], indent: int
) -> list[str]:
    last = statements[-1] if statements else None
    if isinstance(last, Node) and _are(results, last.outputs):
        return [*_statements(statements[:-1], indent), *_node("return ", last, indent)]
    words = ", ".join(map(_value, results))
    return [*_statements(statements, indent), skipped(f"{' ' * indent}return {words}")]


def _spaced(lines: list[str]) -> list[str]:
    """The lines without empty ones where a formatter has none: twice, and first in a function; this one
    has a docstring before them.
    """
    kept: list[str] = []
    for line in lines:
        before = kept[-1] if kept else '"""'
        if line or (before and not before.endswith("-> Any:")):
            kept.append(line)
    return kept


def _without_unread(lines: list[str], names: list[str]) -> list[str]:
    """The lines but for those that give a value to one of these names, which none reads."""
    for name in reversed(names):
        word = re.compile(rf"\b{name}\b")
        if sum(len(word.findall(line)) for line in lines) == 1:
            lines = [line for line in lines if not word.search(line)]
    return lines


def _statements(statements: Iterable[Statement], indent: int) -> list[str]:
    lines: list[str] = []
    pad = " " * indent
    for statement in statements:
        match statement:
            case Node(outputs=outputs):
                lines += _node(f"{', '.join(outputs)} = ", statement, indent)
            case Branch():
                lines += _branch(statement, indent)
            case Each():
                lines += _each(statement, indent)
            case Listed(values=values, output=output):
                words = [_value(value) for value in values]
                lines.append(pad + joined(f"{output} = [", words, "]", indent=indent))
            case Let(output=output, expression=expression):
                lines.append(skipped(f"{pad}{output} = {expression}"))
            case Set(outputs=outputs, values=values):
                values_text = ", ".join(map(_value, values))
                lines.append(skipped(f"{pad}{', '.join(outputs)} = {values_text}"))
            case Repeat(variables=variables, items=items, statements=inner):
                lines.append(skipped(f"{pad}for {', '.join(variables)} in {items}:"))
                lines += _statements(inner, indent + 4)
            case Item(tensors=tensors, index=index, output=output):
                lines.append(skipped(f"{pad}{output} = {tensors}[{index}]"))
    return lines


def _each(each: Each, indent: int) -> list[str]:
    pad = " " * indent
    return [
        f"{pad}{each.output} = []",
        skipped(f"{pad}for {', '.join(each.variables)} in {each.items}:"),
        *_statements(each.statements, indent + 4),
        skipped(f"{pad}    {each.output}.append({_value(each.result)})"),
    ]


def _node(head: str, node: Node, indent: int) -> list[str]:
    words = [_value(value) for value in node.inputs]
    words += [f"{attribute.name}={attribute.expression}" for attribute in node.attributes]
    words += [f"{body.attribute}={body.name}" for body in node.bodies]
    if len(node.outputs) > 1:
        words.append(f"_outputs={len(node.outputs)}")
    functions = [line for body in node.bodies for line in _function(body, indent)]
    return [*functions, " " * indent + joined(f"{head}op.{node.op}(", words, ")", indent=indent)]


def _function(body: Body, indent: int) -> list[str]:
    """The graph of a node as a function, between empty lines."""
    words = [f"{name}: Any" for name in body.inputs]
    head = joined(f"def {body.name}(", words, ") -> Any:", indent=indent)
    lines = _returning(body.statements, body.results, indent + 4)
    return ["", " " * indent + head, *lines, ""]


def _branch(branch: Branch, indent: int) -> list[str]:
    pad = " " * indent
    return [
        skipped(f"{pad}if {branch.condition}:"),
        *_side(branch.then, branch.then_results, branch.outputs, indent + 4),
        f"{pad}else:",
        *_side(branch.otherwise, branch.otherwise_results, branch.outputs, indent + 4),
    ]


def _side(
    statements: tuple[Statement, ...],
    results: tuple[Value, ...],
    outputs: tuple[str, ...],
    indent: int,
) -> list[str]:
    last = statements[-1] if statements else None
    head = f"{', '.join(outputs)} = "
    if isinstance(last, Node) and _are(results, last.outputs):
        lines = _statements(statements[:-1], indent)
        return [*lines, *_node(head, last, indent)]
    lines = _statements(statements, indent)
    return [*lines, skipped(f"{' ' * indent}{head}{', '.join(map(_value, results))}")]


def _value(value: Value) -> str:
    match value:
        case Tensor(name=name) | Tensors(name=name):
            return name
        case Spread(tensors=tensors):
            return f"*{tensors.name}"
        case Constant(expression=expression, natural=natural, type=kind):
            like = (kind or natural).like or f'"{(kind or natural).fixed}"'
            is_open = value.is_number and kind is not None and kind.like
            words = f"{expression}, like={like}{', is_number=True' if is_open else ''}"
            return f"op.constant({words})"
        case Omitted():
            return "None"
        case Choice(condition=condition, then=then, otherwise=otherwise):
            text = f"({_value(then)}) if ({condition}) else ({_value(otherwise)})"
            return pyexpr.show(ast.parse(text, mode="eval").body)


def _are(values: tuple[Value, ...], outputs: tuple[str, ...]) -> bool:
    """Whether the values are the tensors of these names, in this order."""
    return [*outputs] == [value.name if isinstance(value, Tensor) else None for value in values]


def _read_only(
    statements: tuple[Statement, ...], read: set[str], asked: frozenset[str]
) -> tuple[tuple[Statement, ...], set[str]]:
    """The statements that lead to the names read, or ``asked`` for their sizes, and the names that
    these read in turn; unread outputs beside others are called ``_name``.
    """
    kept: list[Statement] = []
    for statement in reversed(statements):
        if isinstance(statement, Node) and read.intersection(statement.outputs):
            outputs = tuple(name if name in read else f"_{name}" for name in statement.outputs)
            read = read | _read_by(statement.inputs)
            bodies: list[Body] = []
            for body in statement.bodies:
                inner, names = _read_only(body.statements, _read_by(body.results), asked)
                bodies.append(replace(body, statements=inner))
                read = read | names
            kept.append(replace(statement, outputs=outputs, bodies=tuple(bodies)))
        elif isinstance(statement, Branch) and read.intersection(statement.outputs):
            statement = _outputs_only(statement, read)
            then, first = _read_only(statement.then, _read_by(statement.then_results), asked)
            otherwise, second = _read_only(
                statement.otherwise, _read_by(statement.otherwise_results), asked
            )
            kept.append(replace(statement, then=then, otherwise=otherwise))
            read = read | first | second
        elif isinstance(statement, Each) and statement.output in read:
            inner, names = _read_only(statement.statements, tensors_in(statement.result), asked)
            kept.append(replace(statement, statements=inner))
            read = read | names | statement.over
        elif isinstance(statement, Let):
            kept.append(statement)
        elif isinstance(statement, Repeat) and read.intersection(statement.outputs):
            inner, names = _read_only(statement.statements, set(statement.outputs), asked)
            kept.append(replace(statement, statements=inner))
            read = read | names | statement.over
        elif (
            isinstance(statement, Set)
            and read.intersection(statement.outputs)
            or isinstance(statement, Listed)
            and statement.output in read
        ):
            kept.append(statement)
            read = read | _read_by(statement.values)
        elif isinstance(statement, Item) and statement.output in read | asked:
            kept.append(statement)
            read = read | {statement.tensors}
    return tuple(reversed(kept)), read


def _read_by(values: Iterable[Value]) -> set[str]:
    return {name for value in values for name in tensors_in(value)}


def _outputs_only(branch: Branch, read: set[str]) -> Branch:
    """The branch with those of its outputs that are read."""
    kept = [place for place, name in enumerate(branch.outputs) if name in read]
    return replace(
        branch,
        outputs=tuple(branch.outputs[place] for place in kept),
        then_results=tuple(branch.then_results[place] for place in kept),
        otherwise_results=tuple(branch.otherwise_results[place] for place in kept),
    )
