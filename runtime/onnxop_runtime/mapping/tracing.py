"""A mapping that runs: the nodes that it makes, in order, before any of them is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

_MAX_NODES, _MAX_DEPTH = 10_000, 10
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

    parameters: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    results: list[Input] = field(default_factory=list)

    def all_nodes(self) -> Iterator[Node]:
        """Yield the nodes, and those of the graphs within them."""
        for node in self.nodes:
            yield node
            for graph in node.graphs:
                yield from graph.all_nodes()

    def drop_unused(self, used: set[int]) -> None:
        """Drop the nodes that lead to no result; ``used``: the ids of nodes that are needed, around it too."""
        used |= _ids(self.results)
        kept = []
        for node in reversed(self.nodes):
            if id(node) in used:
                kept.append(node)
                used |= _ids(node.inputs)
                for graph in node.graphs:
                    graph.drop_unused(used)
        self.nodes = kept[::-1]


def _ids(values: Iterable[Input]) -> set[int]:
    return {id(value.node) for value in values if isinstance(value, Value)}


class Node:
    """A node of a graph: its inputs, and its attributes, of which some are graphs.

    Attributes:
        kinds: the element types of its op's type variables.
        outputs: those that are used.
        graph_kinds: the element types of all outputs, where it holds graphs.
        place: the instruction of the mapping that made it.
    """

    def __init__(
        self,
        trace: Trace,
        graph: Graph,
        definition: Definition,
        inputs: list[Input],
        attributes: dict[str, Any],
        kinds: dict[str, Kind],
    ) -> None:
        self.trace, self.graph, self.definition = trace, graph, definition
        self.inputs, self.attributes, self.kinds = inputs, attributes, kinds
        self.outputs: list[Value] = []
        self.graph_kinds: list[Kind] | None = None
        self.place = _place_here()
        graph.nodes.append(self)
        trace.made += 1
        if trace.made > _MAX_NODES:
            raise error(f"the mapping has more than {_MAX_NODES} nodes", "write fewer")

    @property
    def op(self) -> str:
        return self.definition.name

    @property
    def graphs(self) -> list[Graph]:
        return [value for value in self.attributes.values() if isinstance(value, Graph)]

    @property
    def count(self) -> int:
        """How many outputs the node is written with."""
        return self._own_count or max(len(self.outputs), self.definition.min_output)

    @property
    def _own_count(self) -> int | None:
        """The number of outputs that the node says itself: of its graphs, or of a Split."""
        if self.graph_kinds is not None:
            return len(self.graph_kinds)
        if self.op != "Split":
            return None
        sizes = self.inputs[1] if len(self.inputs) > 1 else None
        parts = sizes.value if isinstance(sizes, Constant) else self.attributes.get("split")
        count = (
            len(parts) if isinstance(parts, list | tuple) else self.attributes.get("num_outputs")
        )
        return int(count) if isinstance(count, int) else None

    def output(self, index: int = 0) -> Value:
        """Return an output, which is used from now on."""
        while len(self.outputs) <= index:
            kind = self._kind_of(len(self.outputs))
            self.outputs.append(Value(self.trace, kind, node=self))
        return self.outputs[index]

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
    """``op``: keeps the nodes that a mapping makes: ``op.ReduceSum(x, keepdims=0)`` is one of ONNX's.

    Args:
        writer: what the arguments' sizes and dtypes are asked of.
        opset: the opset of the default domain.
    """

    def __init__(self, writer: Any, opset: int) -> None:
        self.writer, self.opset = writer, opset
        self.graph = Graph()
        self.made = 0
        self._open = [self.graph]  # and the graphs within it that are being made

    def __getattr__(self, op: str) -> Callable[..., Value]:
        if not op[:1].isupper():
            raise AttributeError(op)
        return lambda *inputs, **keywords: self.node(op, inputs, keywords)

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
        node = Node(self, self._open[-1], of, found, attributes, kinds)
        if functions:
            self._hold(node, functions)
        return node.output()

    def _hold(self, node: Node, functions: Mapping[str, Any]) -> None:
        """Give an If or a Loop its graphs, and the types of what it gives."""
        kinds: list[Kind] = []
        if node.op == "Loop":
            # As many rounds as there can be, where nothing is said.
            defaults = Constant(2**63 - 1, "INT64"), Constant(True, "BOOL")
            first = zip([*node.inputs, None, None], defaults, strict=False)
            node.inputs[:2] = [default if value is None else value for value, default in first]
            kinds = ["INT64", "BOOL", *map(kind_of, node.inputs[2:])]
        pairs = [self._called(node.op, name, each, kinds) for name, each in functions.items()]
        graphs, results = [graph for graph, _ in pairs], [found for _, found in pairs]
        counts = [len(found) for found in results]
        if len({*counts}) > 1 or (kinds and counts[0] < max(len(kinds) - 1, 2)):
            gives = (
                f"{n} gives {calls.count_of(c, c, 'result')}" for n, c in zip(functions, counts)
            )
            remedy = "return whether there is another round, what is carried, and rows, if any"
            remedy = remedy if kinds else "return as many in both"
            raise error(f"of op.{node.op}, {' and '.join(gives)}", remedy)
        wanted = kinds[1:] or [_first(map(kind_of, each)) for each in zip(*results, strict=True)]
        for graph, found in pairs:
            self.finish(graph, found, wanted)
        given = zip(*(map(kind_of, graph.results) for graph in graphs), strict=True)
        node.graph_kinds = [*kinds[2:], *[_first(each) for each in given][len(kinds[1:]) :]]
        node.attributes |= zip(functions, graphs, strict=True)

    def _called(
        self, op: str, name: str, function: Any, kinds: Sequence[Kind]
    ) -> tuple[Graph, list[Any]]:
        """Return a graph, and what its function returns."""
        calls.check_function(op, name, function, len(kinds))
        if len(self._open) > _MAX_DEPTH:
            raise error(f"more than {_MAX_DEPTH} functions within each other", "write fewer")
        graph = Graph([Value(self, kind) for kind in kinds])
        self._open.append(graph)
        results = function(*graph.parameters)
        self._open.pop()
        results = [*results] if isinstance(results, tuple) else [results]
        calls.check_tensors(results, f"what {name} returns")
        return graph, results

    def finish(self, graph: Graph, results: Sequence[Any], kinds: Sequence[Kind] = ()) -> None:
        """Give a graph its results, numbers of these types. No input is one, nor a value of the graphs
        around it, and none is there twice: those are copied, as numbers are within a node.
        """
        for place, value in enumerate(results):
            if isinstance(value, int | float):
                kind = kinds[place] if place < len(kinds) else None
                value = Constant(value, kind or natural(value))
            is_own = isinstance(value, Value) and value.node and value.node.graph is graph
            is_new = not any(value is each for each in graph.results)
            is_number = graph is self.graph and not isinstance(value, Value)
            if not (is_number or (is_own and is_new)):
                of, kind = calls.definition_of("Identity", self.opset), kind_of(value)
                value = Node(self, graph, of, [value], {}, {"T": kind, "V": kind}).output()
            graph.results.append(value)


def kind_of(value: Any) -> Kind:
    """Return the element type of a tensor, or of a number that is one already."""
    return value.kind if isinstance(value, Value | Constant) else None


def _first(kinds: Iterable[Kind]) -> Kind:
    return next((kind for kind in kinds if kind is not None), None)


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
