"""The mapping's graph as Python code: the TorchScript symbolic and the dynamo translation."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from onnxop import pycode
from onnxop.mapping import (
    Branch,
    Choice,
    Constant,
    Graph,
    Node,
    Omitted,
    Statement,
    Tensor,
    Value,
)
from onnxop.pycode import Lines
from onnxop.schema import OpSchema

_PARSE_ARGS = {"Tensor": "v", "float": "f", "int": "i", "bool": "b"}
_TORCH_TYPES = {
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
_SUFFIXES = {"FLOAT": "f", "FLOATS": "f", "INT": "i", "INTS": "i", "STRING": "s", "STRINGS": "s"}


def parse_args(schema: OpSchema) -> list[str]:
    """The argument kinds of ``torch.onnx.symbolic_helper.parse_args``, quoted."""
    return [f'"{_PARSE_ARGS[argument.type]}"' for argument in schema.arguments]


def symbolic_body(graph: Graph, graph_name: str) -> Lines:
    """The body of the symbolic: nodes by ``g.op``, ``g`` being called ``graph_name``."""

    def constant(value: Constant) -> str:
        kind = value.type or value.natural
        like = kind.like or f"torch.{_TORCH_TYPES[kind.fixed]}"
        return f"_constant({graph_name}, {value.expression}, like={like})"

    def node(statement: Node, inputs: list[str]) -> tuple[str, list[str]]:
        words = [f'"{statement.op}"', *inputs]
        words += [f"{a.name}_{_SUFFIXES[a.kind]}={a.expression}" for a in statement.attributes]
        if len(statement.outputs) > 1:
            words.append(f"outputs={len(statement.outputs)}")
        return f"{graph_name}.op(", words

    printer = _Printer(constant, f"_omitted({graph_name})", node)
    return printer.body(graph)


def translation_body(graph: Graph, opset_name: str) -> Lines:
    """The body of the translation: nodes by onnxscript's opset, called ``opset_name``."""

    def constant(value: Constant) -> str:
        kind = value.type or value.natural
        like = kind.like or f'"{kind.fixed}"'
        return f"_constant({value.expression}, like={like})"

    def node(statement: Node, inputs: list[str]) -> tuple[str, list[str]]:
        attributes = [f"{a.name}={a.expression}" for a in statement.attributes]
        return f"{opset_name}.{statement.op}(", [*inputs, *attributes]

    return _Printer(constant, "None", node).body(graph)


class _Printer:
    def __init__(
        self,
        constant: Callable[[Constant], str],
        omitted: str,
        node: Callable[[Node, list[str]], tuple[str, list[str]]],
    ) -> None:
        self._constant, self._omitted, self._node = constant, omitted, node

    def body(self, graph: Graph) -> Lines:
        """The statements; the last one's value is returned at once where it is the result."""
        last = graph.statements[-1] if graph.statements else None
        if (
            isinstance(last, Node)
            and isinstance(graph.result, Tensor)
            and last.outputs == (graph.result.name,)
        ):
            lines = self._statements(graph.statements[:-1])
            return lines + self._node_lines("return ", last)
        lines = self._statements(graph.statements)
        return [*lines, f"return {self._value(graph.result)}"]

    def _statements(self, statements: Iterable[Statement]) -> Lines:
        lines: Lines = []
        for statement in statements:
            if isinstance(statement, Node):
                lines += self._node_lines(f"{', '.join(statement.outputs)} = ", statement)
            else:
                lines += self._branch(statement)
        return lines

    def _node_lines(self, head: str, node: Node) -> Lines:
        opening, words = self._node(node, [self._value(value) for value in node.inputs])
        return pycode.call(f"{head}{opening}", words)

    def _branch(self, branch: Branch) -> Lines:
        lines = [f"if {branch.condition}:"]
        lines += pycode.indented(self._side(branch.then, branch.then_result, branch.output))
        lines.append("else:")
        lines += pycode.indented(
            self._side(branch.otherwise, branch.otherwise_result, branch.output)
        )
        return lines

    def _side(self, statements: tuple[Statement, ...], result: Value, output: str) -> Lines:
        last = statements[-1] if statements else None
        if isinstance(last, Node) and isinstance(result, Tensor) and last.outputs == (result.name,):
            return [*self._statements(statements[:-1]), *self._node_lines(f"{output} = ", last)]
        return [*self._statements(statements), f"{output} = {self._value(result)}"]

    def _value(self, value: Value) -> str:
        match value:
            case Tensor(name=name):
                return name
            case Constant():
                return self._constant(value)
            case Omitted():
                return self._omitted
            case Choice(condition=condition, then=then, otherwise=otherwise):
                return f"{self._value(then)} if {condition} else {self._value(otherwise)}"


def used_helpers(graph: Graph) -> set[str]:
    """Which of ``_constant`` and ``_omitted`` the code calls, so that no other is defined."""
    found: set[str] = set()

    def visit(value: Value) -> None:
        if isinstance(value, Constant):
            found.add("constant")
        elif isinstance(value, Omitted):
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

    walk(graph.statements)
    visit(graph.result)
    return found
