"""A mapping that runs: the nodes that it makes, in order, before any of them is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from . import calls
from .calls import GRAPHS, TYPES
from .definitions import NUMBERS, Definition, element_types
from .numbers import is_list, natural
from .problems import error
from .values import Kind, Value

_MAX_NODES, _MAX_DEPTH = 10_000, 10
_CONSTANTS = {"value_float": "FLOAT", "value_floats": "FLOAT"}
_CONSTANTS |= {"value_int": "INT64", "value_ints": "INT64"}
_FOLDER = f"{Path(__file__).parent}{os.sep}"


@dataclass(eq=False, repr=False)
class Graph:
    """The nodes of a mapping, or of a function within it, in order."""

    parameters: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)

    def all_nodes(self) -> Iterator[Node]:
        """Yield the nodes, and those of the graphs within them."""
        for node in self.nodes:
            yield node
            for graph in node.graphs.values():
                yield from graph.all_nodes()

    def drop_unused(self, used: set[int]) -> None:
        """Drop the nodes that lead to no result; ``used``: the ids of nodes that are needed, around it too."""
        used |= _ids(self.results)
        kept = []
        for node in reversed(self.nodes):
            if id(node) in used:
                kept.append(node)
                used |= _ids(node.inputs)
                for graph in node.graphs.values():
                    graph.drop_unused(used)
        self.nodes = kept[::-1]


def _ids(values: Iterable[Value | None]) -> set[int]:
    return {id(value.node) for value in values if value is not None}


@dataclass(eq=False, repr=False)
class Node:
    """A node of a graph: its inputs, its attributes, and those that are graphs.

    Attributes:
        kinds: the element types of its op's type variables, in so far as they are known.
        outputs: those that are used, of which there can be ``least`` to ``most``.
        place: the instruction of the mapping that made it.
    """

    trace: Trace
    graph: Graph
    definition: Definition
    inputs: list[Value | None]
    attributes: dict[str, Any]
    kinds: dict[str, Kind]
    outputs: list[Value] = field(default_factory=list)
    graphs: dict[str, Graph] = field(default_factory=dict)
    place: tuple[CodeType, int] | None = None

    def __post_init__(self) -> None:
        of, given = self.definition, self.attributes
        self.op, self.least, self.most = of.name, of.min_output, of.max_output
        for name, value in given.items():
            if name in TYPES and isinstance(value, int) and value:
                self.kinds[of.outputs[0].type_str] = element_types().get(value)
            elif name in _CONSTANTS:
                self.kinds["T"] = _CONSTANTS[name]
        if self.op == "Split":
            sizes = self.inputs[1] if len(self.inputs) > 1 else None
            parts: Any = given.get("split") if sizes is None else sizes.number
            count = len(parts) if is_list(parts) else given.get("num_outputs")
            self.least, self.most = (count, count) if count else (self.least, self.most)

    @property
    def count(self) -> int:
        """How many outputs the node is written with."""
        return max(len(self.outputs), self.least)

    def output(self, index: int = 0) -> Value:
        """Return an output, which is used from now on."""
        while len(self.outputs) <= index:
            formal = self.definition.output_at(len(self.outputs))
            allowed = self.definition.allowed(formal)
            kind = self.kinds.get(formal.type_str, allowed[0] if len(allowed) == 1 else None)
            self.outputs.append(Value(self.trace, kind, node=self))
        return self.outputs[index]

    def outputs_of(self, wanted: int | None) -> list[Value]:
        """Return as many outputs as are wanted; None: those that the node has by itself."""
        wanted = self.least if wanted is None else wanted
        if not self.least <= wanted <= self.most:
            outputs = calls.count_of(self.least, self.most, "output")
            are = f"{wanted} {'is' if wanted == 1 else 'are'}"
            raise error(f"op.{self.op} has {outputs}, but {are} assigned", f"name {outputs}")
        return [self.output(index) for index in range(wanted)]


class Trace:
    """``op``: keeps the nodes that a mapping makes: ``op.ReduceSum(x, keepdims=0)`` is one of ONNX's.

    Args:
        writer: what the arguments' sizes and dtypes are asked of.
        opset: the opset of the default domain.
    """

    def __init__(self, writer: Any, opset: int) -> None:
        self.writer, self.opset = writer, opset
        self.graph = Graph()
        self._open = [self.graph]  # and the graphs within it that are being made
        self._made = 0

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
        found = [self._input(of, place, value, kinds) for place, value in enumerate(placed)]
        while found and found[-1] is None:
            found.pop()
        node = self._add(self._open[-1], of, found, attributes, kinds)
        if functions:
            self._hold(node, functions)
        return node.output()

    def _input(
        self, of: Definition, place: int, value: Any, kinds: Mapping[str, Kind]
    ) -> Value | None:
        """Return an input; a number is of the type of those beside it, or of one that the op takes."""
        calls.check_input(of, place, value)
        if value is None or isinstance(value, Value):
            return value
        formal, own = of.input_at(place), natural(value)
        allowed = of.allowed(formal)
        if formal.type_str in kinds:
            return Value(self, kinds[formal.type_str], number=value)
        if len(allowed) == 1 or (allowed and own not in allowed):
            own = "FLOAT" if "FLOAT" in allowed else allowed[0]
        if of.name in ("Cast", "CastLike") and own == "FLOAT":
            own = "DOUBLE"  # which float64 tensors beside it need
        if own not in NUMBERS:
            fact = f"a constant cannot be of the element type {own}"
            raise error(fact, "write op.Cast(a, to=1), say, for the tensor beside it")
        return Value(self, own, number=value)

    def _add(self, graph: Graph, of: Definition, *parts: Any) -> Node:
        """Add a node of these inputs and attributes, and of these element types, to a graph."""
        self._made += 1
        if self._made > _MAX_NODES:
            raise error(f"the mapping has more than {_MAX_NODES} nodes", "write fewer")
        node = Node(self, graph, of, *parts)
        node.place = _place_here()
        graph.nodes.append(node)
        return node

    def _hold(self, node: Node, functions: Mapping[str, Any]) -> None:
        """Give an If or a Loop its graphs, and its outputs."""
        kinds: list[Kind] = []
        if node.op == "Loop":
            rounds, condition, *carried = [*node.inputs, None, None][: max(len(node.inputs), 2)]
            # As many rounds as there can be, where nothing is said.
            rounds = Value(self, "INT64", number=2**63 - 1) if rounds is None else rounds
            condition = Value(self, "BOOL", number=True) if condition is None else condition
            node.inputs = [rounds, condition, *carried]
            kinds = ["INT64", "BOOL", *map(kind_of, carried)]
        node.graphs = {n: self._made_by(node.op, n, each, kinds) for n, each in functions.items()}
        graphs = node.graphs.values()
        counts = [len(graph.results) for graph in graphs]
        if len({*counts}) > 1 or (kinds and counts[0] < max(len(kinds) - 1, 2)):
            gives = [f"{name} gives {n}" for name, n in zip(functions, counts, strict=True)]
            remedy = "return whether there is another round, what is carried, and rows, if any"
            remedy = remedy if kinds else "return as many in both"
            raise error(f"of the results of op.{node.op}, {' and '.join(gives)}", remedy)
        wanted = kinds[1:] or _kinds_of(graphs)
        for graph in graphs:
            self.finish(graph, wanted)
        own = [*kinds[2:], *_kinds_of(graphs)[len(kinds[1:]) :]]
        node.outputs = [Value(self, kind, node=node) for kind in own]
        node.least = node.most = len(own)

    def _made_by(self, op: str, name: str, function: Any, kinds: Sequence[Kind]) -> Graph:
        """Return the graph that a function makes of inputs of these types; its results are not yet copied."""
        calls.check_function(op, name, function, len(kinds))
        if len(self._open) > _MAX_DEPTH:
            raise error(f"more than {_MAX_DEPTH} functions within each other", "write fewer")
        graph = Graph([Value(self, kind) for kind in kinds])
        self._open.append(graph)
        found = function(*graph.parameters)
        self._open.pop()
        graph.results = [*found] if isinstance(found, tuple) else [found]
        calls.check_tensors(graph.results, f"what {name} returns")
        return graph

    def finish(self, graph: Graph, kinds: Sequence[Kind] = ()) -> None:
        """Make outputs of a graph's results, of numbers by these types. No input is one, nor a value of the
        graphs around it, and none is there twice: those are copied, as numbers are within a node.
        """
        found: list[Value | None] = []
        for value, kind in zip_longest(graph.results, kinds[: len(graph.results)]):
            if isinstance(value, int | float):
                value = Value(self, kind or natural(value), number=value)
            is_own = value is not None and value.node and value.node.graph is graph
            is_new = not any(value is each for each in found)
            is_number = graph is self.graph and (value is None or value.number is not None)
            if not (is_number or (is_own and is_new)):
                of, kind = calls.definition_of("Identity", self.opset), kind_of(value)
                value = self._add(graph, of, [value], {}, {"T": kind, "V": kind}).output()
            found.append(value)
        graph.results = found


def kind_of(value: Any) -> Kind:
    """Return the element type of a tensor, or of a number that is one already."""
    return value.kind if isinstance(value, Value) else None


def _kinds_of(graphs: Iterable[Graph]) -> list[Kind]:
    """Return the element types of the results of graphs that give the same."""
    rows = zip(*(map(kind_of, graph.results) for graph in graphs), strict=True)
    return [next((kind for kind in row if kind is not None), None) for row in rows]


def _place_here() -> tuple[CodeType, int] | None:
    """Return the instruction of the mapping that is run: the nearest outside of this folder."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_FOLDER):
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti)
