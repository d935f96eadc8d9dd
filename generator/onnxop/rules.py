"""The mapping's graph as Python code: the TorchScript symbolic and the dynamo translation."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace

from . import pycode, pyexpr
from .graph import (
    Branch,
    Choice,
    Constant,
    Graph,
    Node,
    Omitted,
    Statement,
    Tensor,
    Value,
    tensors_in,
)
from .pycode import Lines
from .pystatements import Statements
from .schema import Argument, OpSchema

_PARSE_ARGS = {"Tensor": "v", "float": "f", "Scalar": "t", "int": "i", "bool": "b", "str": "s"}
_PARSE_LISTS = {"float": "fs", "int": "is", "bool": "is"}
TORCH_TYPES = {
    "FLOAT": "float32",
    "DOUBLE": "float64",
    "FLOAT16": "float16",
    "BFLOAT16": "bfloat16",
    "BOOL": "bool",
    **{
        f"{sign}INT{bits}": f"{sign.lower()}int{bits}"
        for sign in ("", "U")
        for bits in (8, 16, 32, 64)
    },
}
"""PyTorch's names of ONNX's element types."""
_SUFFIXES = {"FLOAT": "f", "FLOATS": "f", "INT": "i", "INTS": "i", "STRING": "s", "STRINGS": "s"}


def parse_args(schema: OpSchema) -> list[str]:
    """The argument kinds of ``torch.onnx.symbolic_helper.parse_args``, quoted; it leaves None."""

    def kind(argument: Argument) -> str:
        kinds = _PARSE_LISTS if argument.is_list else _PARSE_ARGS
        return "v" if argument.is_held else kinds[argument.kind]

    return [f'"{kind(argument)}"' for argument in schema.arguments]


VALUE_TYPES = {"Tensor": "torch.Value", "Tensor?": "torch.Value | None"}


def symbolic_parameters(schema: OpSchema) -> list[str]:
    """The parameters of the symbolic, all of which the exporter passes by their places.

    The package's own operator lacks the arguments that are held, so these need not be passed, nor
    what stands behind them.
    """
    words: list[str] = []
    is_held = False
    for argument in schema.arguments:
        kind = "Any" if argument.is_held else VALUE_TYPES.get(argument.type, argument.python_type)
        is_held = is_held or argument.is_held
        default = f" = {pyexpr.literal(argument.default)}" if is_held else ""
        words.append(f"{argument.name}: {kind}{default}")
    return words


def symbolic_numbers(schema: OpSchema) -> Lines:
    """What the symbolic does before anything else: it reads the numbers, each of its own type."""
    return [
        line
        for argument in schema.free
        if argument.kind == "Scalar"
        for line in Statements({argument.name}).assign(
            f"{argument.name} = ", _parsed(f"_number({argument.name})"), 4
        )
    ]


def symbolic_checks(schema: OpSchema, graph: Graph) -> Lines:
    """What the symbolic does first: it refuses what is held, and turns TorchScript's None into
    Python's.
    """
    read = _names_read(_without_unused(graph))
    lines = _refusals(schema, lambda name: f"not symbolic_helper._is_none({name})")
    for tensor in schema.tensors:
        if tensor.is_optional and tensor.name in read:
            name = tensor.name
            none = f"None if symbolic_helper._is_none({name}) else {name}"
            lines += Statements({name}).assign(f"{name} = ", _parsed(none), 4)
    return [line.removeprefix("    ") for line in lines]


def translation_checks(schema: OpSchema) -> Lines:
    """What the translation does first: it refuses what is held."""
    lines = _refusals(schema, lambda name: f"{name} is not None")
    return [line.removeprefix("    ") for line in lines]


def _refusals(schema: OpSchema, is_given: Callable[[str], str]) -> Lines:
    lines: Lines = []
    for argument in schema.arguments:
        if argument.is_held:
            name = argument.name
            message = f"{schema.namespace}::{schema.name} is exported with {name}=None only"
            lines.append(f"    if {is_given(name)}:")
            lines += pycode.call("raise ValueError(", [pyexpr.literal(message)], indent=8)
    return lines


def names_in(graph: Graph) -> set[str]:
    """Every name that the code of the graph assigns."""
    found: set[str] = set()

    def walk(statements: Iterable[Statement]) -> None:
        for statement in statements:
            if isinstance(statement, Node):
                found.update(statement.outputs)
            else:
                found.add(statement.output)
                walk((*statement.then, *statement.otherwise))

    walk(_without_unused(graph).statements)
    return found


def symbolic_body(graph: Graph, graph_name: str, arguments: Iterable[str] = ()) -> Lines:
    """The body of the symbolic: nodes by ``g.op``, ``g`` being called ``graph_name``.

    It assigns none of the names of ``arguments``.
    """

    def constant(value: Constant) -> str:
        kind = value.type or value.natural
        like = kind.like or f"torch.{TORCH_TYPES[kind.fixed]}"
        return f"_constant({graph_name}, {value.expression}, like={like}{_number(value)})"

    def node(statement: Node, inputs: list[str]) -> str:
        words = [f'"{statement.op}"', *inputs]
        words += [f"{a.name}_{_SUFFIXES[a.kind]}={a.expression}" for a in statement.attributes]
        if len(statement.outputs) > 1:
            words.append(f"outputs={len(statement.outputs)}")
        return f"{graph_name}.op({', '.join(words)})"

    taken = {*arguments, graph_name, "float", "int", "torch"}
    omitted = f"_omitted({graph_name})"
    return _Printer(constant, omitted, node, taken).body(graph)


def translation_body(graph: Graph, opset_name: str, arguments: Iterable[str] = ()) -> Lines:
    """The body of the translation: nodes by onnxscript's opset, called ``opset_name``.

    It assigns none of the names of ``arguments``.
    """

    def constant(value: Constant) -> str:
        kind = value.type or value.natural
        like = kind.like or f'"{kind.fixed}"'
        return f"_constant({value.expression}, like={like}{_number(value)})"

    def node(statement: Node, inputs: list[str]) -> str:
        attributes = [f"{a.name}={a.expression}" for a in statement.attributes]
        call = f"{opset_name}.{statement.op}({', '.join([*inputs, *attributes])})"
        wanted = len(statement.outputs)
        if wanted == statement.formal_outputs or statement.formal_outputs == 1:
            return call
        # onnxscript gives every output that the op can have.
        return f"{call}[0]" if wanted == 1 else f"{call}[:{wanted}]"

    taken = {*arguments, opset_name, "float", "int", "ir"}
    return _Printer(constant, "None", node, taken).body(graph)


def function_body(graph: Graph, recorder: str, arguments: Iterable[str] = ()) -> Lines:
    """The body of a function: nodes by the package's recorder, called ``recorder``.

    It assigns none of the names of ``arguments``.
    """

    def constant(value: Constant) -> str:
        kind = value.type or value.natural
        like = kind.like or f'"{kind.fixed}"'
        return f"{recorder}.constant({value.expression}, like={like}{_number(value)})"

    def node(statement: Node, inputs: list[str]) -> str:
        words = [f'"{statement.op}"', *inputs]
        words += [f"{a.name}={a.expression}" for a in statement.attributes]
        if len(statement.outputs) > 1:
            words.append(f"_outputs={len(statement.outputs)}")
        return f"{recorder}({', '.join(words)})"

    taken = {*arguments, recorder, "float", "int"}
    return _Printer(constant, "None", node, taken).body(graph)


def _number(value: Constant) -> str:
    is_open = value.is_number and value.type is not None and value.type.like
    return ", is_number=True" if is_open else ""


class _Printer:
    """Lays the body out for a function, whose lines are indented by 4."""

    def __init__(
        self,
        constant: Callable[[Constant], str],
        omitted: str,
        node: Callable[[Node, list[str]], str],
        taken: set[str],
    ) -> None:
        self._constant, self._omitted, self._node = constant, omitted, node
        self._taken = taken
        self._long = Statements(self._taken)

    def body(self, graph: Graph) -> Lines:
        """The statements; the last one's value is returned at once where it is the result."""
        graph = _without_unused(graph)
        self._taken |= names_in(graph) | _names_read(graph)
        last = graph.statements[-1] if graph.statements else None
        if isinstance(last, Node) and _are(graph.results, last.outputs):
            lines = self._statements(graph.statements[:-1], 4)
            lines += self._node_lines("return ", last, 4)
        else:
            lines = self._statements(graph.statements, 4)
            lines += self._return(graph.results)
        return [line.removeprefix("    ") for line in lines]

    def _return(self, results: tuple[Value, ...]) -> Lines:
        if len(results) == 1:
            return self._assign("return ", self._value(results[0]), 4)
        lines: Lines = []
        words: list[str] = []
        for result in results:
            if isinstance(result, Tensor):
                words.append(result.name)
            else:
                words.append(self._long.local("result"))
                lines += self._assign(f"{words[-1]} = ", self._value(result), 4)
        return lines + pycode.tuple_of("return ", words, indent=4)

    def _statements(self, statements: Iterable[Statement], indent: int) -> Lines:
        lines: Lines = []
        for statement in statements:
            if isinstance(statement, Branch):
                lines += self._branch(statement, indent)
            elif len(statement.outputs) == 1:
                lines += self._node_lines(f"{statement.outputs[0]} = ", statement, indent)
            else:
                lines += self._several(statement, indent)
        return lines

    def _several(self, node: Node, indent: int) -> Lines:
        """``x, y = op.TopK(...)``; where that is too long, in two steps."""
        head = f"{', '.join(node.outputs)} = "
        if pycode.width(head) + indent <= pycode.WIDTH // 2:
            return self._node_lines(head, node, indent)
        name = self._long.local("outputs")
        lines = self._node_lines(f"{name} = ", node, indent)
        return lines + pycode.unpack(node.outputs, name, indent=indent)

    def _node_lines(self, head: str, node: Node, indent: int) -> Lines:
        text = self._node(node, [self._value(value) for value in node.inputs])
        return self._assign(head, text, indent)

    def _assign(self, head: str, text: str, indent: int) -> Lines:
        return self._long.assign(head, _parsed(text), indent)

    def _branch(self, branch: Branch, indent: int) -> Lines:
        lines = self._long.test("if", _parsed(branch.condition), indent)
        lines += self._side(branch.then, branch.then_result, branch.output, indent + 4)
        lines.append(f"{' ' * indent}else:")
        return lines + self._side(
            branch.otherwise, branch.otherwise_result, branch.output, indent + 4
        )

    def _side(
        self, statements: tuple[Statement, ...], result: Value, output: str, indent: int
    ) -> Lines:
        last = statements[-1] if statements else None
        if isinstance(last, Node) and _are((result,), last.outputs):
            lines = self._statements(statements[:-1], indent)
            return lines + self._node_lines(f"{output} = ", last, indent)
        lines = self._statements(statements, indent)
        return lines + self._assign(f"{output} = ", self._value(result), indent)

    def _value(self, value: Value) -> str:
        match value:
            case Tensor(name=name, may_be_none=True) if self._omitted != "None":
                return f"{self._omitted} if {name} is None else {name}"
            case Tensor(name=name):
                return name
            case Constant():
                return self._constant(value)
            case Omitted():
                return self._omitted
            case Choice(condition=condition, then=then, otherwise=otherwise):
                return f"({self._value(then)}) if ({condition}) else ({self._value(otherwise)})"


def _are(values: tuple[Value, ...], names: tuple[str, ...]) -> bool:
    """Whether the values are the tensors of these names, in this order."""
    return [*names] == [value.name if isinstance(value, Tensor) else None for value in values]


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _without_unused(graph: Graph) -> Graph:
    """The graph without what nothing reads, and unread outputs beside others as ``_name``."""
    read = {name for result in graph.results for name in tensors_in(result)}
    statements, _ = _read_only(graph.statements, read)
    return replace(graph, statements=statements)


def _read_only(
    statements: tuple[Statement, ...], read: set[str]
) -> tuple[tuple[Statement, ...], set[str]]:
    """The statements that lead to the names read, and the names that these read in turn."""
    kept: list[Statement] = []
    for statement in reversed(statements):
        if isinstance(statement, Node) and read.intersection(statement.outputs):
            outputs = tuple(pycode.unpacked(statement.outputs, read))
            kept.append(replace(statement, outputs=outputs))
            for value in statement.inputs:
                read = read | tensors_in(value)
        elif isinstance(statement, Branch) and statement.output in read:
            then, first = _read_only(statement.then, tensors_in(statement.then_result))
            otherwise, second = _read_only(
                statement.otherwise, tensors_in(statement.otherwise_result)
            )
            kept.append(replace(statement, then=then, otherwise=otherwise))
            read = read | first | second
    return tuple(reversed(kept)), read


def _names_read(graph: Graph) -> set[str]:
    """The names in the code of the graph: those of arguments, which it must not assign."""
    found: set[str] = set()

    def add(*texts: str) -> None:
        for text in texts:
            nodes = ast.walk(_parsed(text))
            found.update(node.id for node in nodes if isinstance(node, ast.Name))

    def visit(value: Value) -> None:
        match value:
            case Tensor(name=name):
                found.add(name)
            case Constant(expression=expression, natural=natural, type=kind):
                add(expression)
                found.add((kind or natural).like)
            case Choice(condition=condition, then=then, otherwise=otherwise):
                add(condition)
                visit(then)
                visit(otherwise)

    def walk(statements: Iterable[Statement]) -> None:
        for statement in statements:
            if isinstance(statement, Node):
                add(*(attribute.expression for attribute in statement.attributes))
                for value in statement.inputs:
                    visit(value)
            else:
                add(statement.condition)
                visit(statement.then_result)
                visit(statement.otherwise_result)
                walk((*statement.then, *statement.otherwise))

    walk(graph.statements)
    for result in graph.results:
        visit(result)
    return found


def used_helpers(graph: Graph) -> set[str]:
    """Which of ``_constant`` and ``_omitted`` the code calls, so that no other is defined."""
    found: set[str] = set()

    def visit(value: Value) -> None:
        if isinstance(value, Constant):
            found.add("constant")
        elif isinstance(value, Omitted) or (isinstance(value, Tensor) and value.may_be_none):
            found.add("omitted")
        elif isinstance(value, Choice):
            visit(value.then)
            visit(value.otherwise)

    def walk(statements: Iterable[Statement]) -> None:
        for statement in statements:
            if isinstance(statement, Node):
                for value in statement.inputs:
                    visit(value)
            else:
                visit(statement.then_result)
                visit(statement.otherwise_result)
                walk((*statement.then, *statement.otherwise))

    graph = _without_unused(graph)
    walk(graph.statements)
    for result in graph.results:
        visit(result)
    return found
