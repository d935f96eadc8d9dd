"""A mapping that runs: the nodes that it makes, in order, before any of them is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from . import calls
from .calls import GRAPHS
from .definitions import NUMBERS, Definition, element_types
from .numbers import natural
from .problems import error
from .values import Kind, Value

_MAX_NODES, _MAX_GRAPHS, _MAX_DEPTH = 10_000, 1_000, 10
_FOLDER = f"{Path(__file__).parent}{os.sep}"


@dataclass(frozen=True)
class Constant:
    """A number where a tensor is wanted, of an element type."""

    value: Any
    kind: Kind


Input = Value | Constant | None


@dataclass(eq=False)
class Graph:
    """The nodes of a mapping, or of a function within it, in order."""

    nodes: list[Node] = field(default_factory=list)
    parameters: list[Value] = field(default_factory=list)
    results: list[Input] = field(default_factory=list)


@dataclass(eq=False)
class Node:
    """A node: its inputs and attributes, and the graphs that it holds, by their attributes.

    Attributes:
        kinds: the element types of its op's type variables.
        place: the instruction of the mapping that made it.
        graph_kinds: the element types of its outputs, where it holds graphs.
        used: how many of its outputs are used.
        raws: what the writer knows its outputs by, once it is written.
    """

    trace: Trace
    graph: Graph
    definition: Definition
    inputs: list[Input]
    attributes: dict[str, Any]
    kinds: dict[str, Kind]
    place: tuple[CodeType, int] | None
    graphs: dict[str, Graph] = field(default_factory=dict)
    graph_kinds: list[Kind] | None = None
    used: int = 1
    raws: list[Any] = field(default_factory=list)

    @property
    def op(self) -> str:
        return self.definition.name

    @property
    def count(self) -> int:
        """How many outputs the node is written with."""
        return self._own_count or max(self.used, self.definition.min_output)

    @property
    def _own_count(self) -> int | None:
        """The number of outputs that the node says itself: of its graphs, or of a Split."""
        if self.graph_kinds is not None:
            return len(self.graph_kinds)
        if self.op != "Split":
            return None
        sizes = self.inputs[1] if len(self.inputs) > 1 else None
        parts = sizes.value if isinstance(sizes, Constant) else self.attributes.get("split")
        if isinstance(parts, list | tuple):
            return len(parts)
        count = self.attributes.get("num_outputs")
        return int(count) if isinstance(count, int) else None

    def output(self, index: int = 0) -> Value:
        """Return an output, which is used from now on."""
        self.used = max(self.used, index + 1)
        return Value(self.trace, self._kind_of(index), self, index)

    def outputs_of(self, wanted: int | None) -> list[Value]:
        """Return as many outputs as are wanted; None: those that the node has by itself."""
        least, most = self.definition.min_output, self.definition.max_output
        if own := self._own_count:
            least = most = own
        wanted = least if wanted is None else wanted
        if not least <= wanted <= most:
            outputs = calls.count_of(least, most, "output")
            are = f"{wanted} {'is' if wanted == 1 else 'are'}"
            raise error(f"op.{self.op} has {outputs}, but {are} assigned", f"name {outputs}")
        return [self.output(index) for index in range(wanted)]

    def _kind_of(self, index: int) -> Kind:
        """Return the element type of an output, as far as it is known."""
        if self.graph_kinds is not None:
            return self.graph_kinds[index]
        if self.op == "Cast" and isinstance(to := self.attributes["to"], int):
            return element_types().get(to)
        if self.op == "Constant":
            names = {"float": "FLOAT", "int": "INT64", "string": "STRING"}
            word = next((key for key in self.attributes if key.startswith("value_")), "")
            return names.get(word.removeprefix("value_").removesuffix("s"))
        formal = self.definition.output_at(index)
        allowed = self.definition.allowed(formal)
        return self.kinds.get(formal.type_str, allowed[0] if len(allowed) == 1 else None)


class Trace:
    """Runs a mapping for arguments at an opset, and keeps its nodes.

    Args:
        writer: what the arguments' sizes and dtypes are asked of.
        opset: the opset of the default domain.
    """

    def __init__(self, writer: Any, opset: int) -> None:
        self.writer, self.opset = writer, opset
        self.graph = Graph()
        self._graphs: list[Graph] = [self.graph]
        self._made = self._held = 0

    def node(self, op: str, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> Value:
        """Return the first output of a new node."""
        given = dict(keywords)
        functions = {name: given.pop(name, None) for name in GRAPHS.get(op, ())}
        of = calls.definition_of(op, self.opset)
        placed = calls.placed(of, self.opset, inputs, given, is_open=False)
        attributes = calls.attributes(of, self.opset, given)
        kinds: dict[str, Kind] = {}
        for place, value in enumerate(placed):
            formal = of.input_at(place)
            if formal.is_homogeneous and (kind := kind_of(value)) is not None:
                kinds.setdefault(formal.type_str, kind)
        found = [_input(of, place, value, kinds) for place, value in enumerate(placed)]
        while found and found[-1] is None:
            found.pop()
        node = self._node(of, found, attributes, kinds)
        if op == "If":
            self._hold_branches(node, functions)
        elif op == "Loop":
            self._hold_body(node, functions["body"])
        self._graphs[-1].nodes.append(node)
        return node.output()

    def copy(self, value: Input) -> Value:
        """Return a value by an Identity."""
        kind = kind_of(value)
        of = calls.definition_of("Identity", self.opset)
        node = self._node(of, [value], {}, {"T": kind, "V": kind})
        self._graphs[-1].nodes.append(node)
        return node.output()

    def _node(
        self,
        of: Definition,
        inputs: list[Input],
        attributes: dict[str, Any],
        kinds: dict[str, Kind],
    ) -> Node:
        self._made += 1
        if self._made > _MAX_NODES:
            raise error(f"the mapping has more than {_MAX_NODES} nodes", "write fewer")
        return Node(self, self._graphs[-1], of, inputs, attributes, kinds, _place_here())

    def _hold_branches(self, node: Node, functions: Mapping[str, Any]) -> None:
        """Give an If its graphs, and the types of what it gives."""
        sides = [self._called(node, name, function, []) for name, function in functions.items()]
        (_, then), (_, otherwise) = sides
        if len(then) != len(otherwise):
            fact = f"then_branch gives {len(then)} tensors, and else_branch {len(otherwise)}"
            raise error(fact, "return as many in both")
        kinds = [
            kind_of(other) if kind_of(one) is None else kind_of(one)
            for one, other in zip(then, otherwise, strict=True)
        ]
        for graph, results in sides:
            self._finish(graph, results, kinds)
        node.graphs = dict(zip(functions, (graph for graph, _ in sides), strict=True))
        pairs = zip(*([kind_of(v) for v in graph.results] for graph, _ in sides), strict=True)
        node.graph_kinds = [other if one is None else one for one, other in pairs]

    def _hold_body(self, node: Node, function: Any) -> None:
        """Give a Loop its graph, and the types of what it gives."""
        # As many rounds as there can be, where nothing is said.
        defaults = Constant(2**63 - 1, "INT64"), Constant(True, "BOOL")
        first = zip([*node.inputs, None, None], defaults, strict=False)
        node.inputs[:2] = [default if value is None else value for value, default in first]
        kinds: list[Kind] = ["INT64", "BOOL", *map(kind_of, node.inputs[2:])]
        graph, results = self._called(node, "body", function, kinds)
        least = max(len(kinds) - 1, 2)
        if len(results) < least:
            fact = (
                f"the body of op.Loop gives {len(results)} results, but {least} at least are needed"
            )
            remedy = "return whether there is another round, what is carried, and rows, if any"
            raise error(fact, remedy)
        self._finish(graph, results, kinds[1:])
        node.graphs = {"body": graph}
        node.graph_kinds = [*kinds[2:], *map(kind_of, graph.results[len(kinds) - 1 :])]

    def _called(
        self, node: Node, name: str, function: Any, kinds: Sequence[Kind]
    ) -> tuple[Graph, list[Any]]:
        """Return a graph, and what its function returns."""
        calls.check_function(node.op, name, function, len(kinds))
        self._held += 1
        if len(self._graphs) > _MAX_DEPTH:
            raise error(f"more than {_MAX_DEPTH} functions within each other", "write fewer")
        if self._held > _MAX_GRAPHS:
            raise error(f"more than {_MAX_GRAPHS} graphs", "write fewer")
        graph = Graph(parameters=[Value(self, kind) for kind in kinds])
        with self._within(graph):
            results = function(*graph.parameters)
        results = list(results) if isinstance(results, tuple) else [results]
        calls.check_tensors(results, f"what {name} returns")
        return graph, results

    def _finish(self, graph: Graph, results: Sequence[Any], kinds: Sequence[Kind]) -> None:
        """Give a graph its results, numbers of these types: each of a node of its own, of this graph."""
        taken: set[tuple[int, int]] = set()
        with self._within(graph):
            for place, result in enumerate(results):
                value: Input = result
                if not isinstance(result, Value):
                    kind = kinds[place] if place < len(kinds) else None
                    value = Constant(result, kind or natural(result))
                is_own = isinstance(value, Value) and value.node and value.node.graph is graph
                if not is_own or value.key in taken:  # type: ignore[union-attr]
                    value = self.copy(value)
                taken.add(value.key)  # type: ignore[union-attr]
                graph.results.append(value)

    @contextmanager
    def _within(self, graph: Graph) -> Iterator[None]:
        self._graphs.append(graph)
        try:
            yield
        finally:
            self._graphs.pop()


def kind_of(value: Any) -> Kind:
    """Return the element type of a tensor, or of a number that is one already."""
    return value.kind if isinstance(value, Value | Constant) else None


def _input(of: Definition, place: int, value: Any, kinds: Mapping[str, Kind]) -> Input:
    """Return an input, numbers as tensors of the type of those beside them, or of one that the op takes."""
    calls.check_input(of, place, value)
    if value is None or isinstance(value, Value):
        return value
    formal = of.input_at(place)
    if formal.type_str in kinds:
        return Constant(value, kinds[formal.type_str])
    allowed, own = of.allowed(formal), natural(value)
    if len(allowed) == 1 or (allowed and own not in allowed):
        own = "FLOAT" if len(allowed) > 1 and "FLOAT" in allowed else allowed[0]
    if own not in NUMBERS:
        fact = f"a constant cannot be of the element type {own}"
        raise error(fact, "write op.Cast(a, to=1), say, for the tensor beside it")
    return Constant(value, own)


def _place_here() -> tuple[CodeType, int] | None:
    """Return the instruction of the mapping that is run: the nearest outside of this folder."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_FOLDER):
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti)
