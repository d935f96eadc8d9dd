"""The run of a mapping: records its nodes in order, before any is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from onnx import TensorProto

from . import calls
from .calls import GRAPHS, TYPES
from .definitions import ELEMENT_TYPES, NUMBERS, Definition
from .numbers import is_list, leaves, natural, sizes_of
from .problems import error
from .values import DynamicSize, Kind, Value
from .writer import Writer

_MAX_NODES, _MAX_DEPTH = 10_000, 10
_MAX_ITEMS = 1_000_000  # of all nodes: inputs, outputs, items of lists, and characters
_CONSTANTS = {"value_float": "FLOAT", "value_floats": "FLOAT"}
_CONSTANTS |= {"value_int": "INT64", "value_ints": "INT64"}
_ORDINALS = ("first", "second", "third", "fourth")
_FOLDER = f"{Path(__file__).parent}{os.sep}"


@dataclass(eq=False, repr=False)
class Graph:
    """The nodes of a mapping, or of a function in it, in order."""

    parameters: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)

    def all_nodes(self) -> Iterator[Node]:
        """Yield the nodes, including those of subgraphs."""
        for node in self.nodes:
            yield node
            for graph in node.graphs.values():
                yield from graph.all_nodes()

    def drop_unused(self, used: set[int]) -> None:
        """Drop nodes that no result depends on. ``used``: the ids of needed nodes, including outer
        graphs.
        """
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
    """A node of a graph: its inputs, its attributes and its subgraphs."""

    trace: Trace
    graph: Graph
    definition: Definition
    inputs: list[Value | None]
    attributes: dict[str, Any]
    kinds: dict[str, Kind]
    """The known element types by type variable of the op."""
    outputs: list[Value] = field(default_factory=list)
    """The used outputs, of which the node has at least ``least`` and at most ``most``."""
    graphs: dict[str, Graph] = field(default_factory=dict)
    is_unpacked: bool = False
    """Whether the mapping has given its outputs names."""
    place: tuple[CodeType, int] | None = None
    """The instruction of the mapping that made the node."""

    def __post_init__(self) -> None:
        op, attributes = self.definition, self.attributes
        self.op, self.least, self.most = op.name, op.min_output, op.max_output
        for name, value in attributes.items():
            if name in TYPES and isinstance(value, int) and value:
                self.kinds[op.outputs[0].type_str] = ELEMENT_TYPES.get(value)
            elif name in _CONSTANTS:
                self.kinds["T"] = _CONSTANTS[name]
        if self.op == "Split":
            sizes = self.inputs[1] if len(self.inputs) > 1 else None
            parts: Any = attributes.get("split") if sizes is None else sizes.number
            count = len(parts) if is_list(parts) else attributes.get("num_outputs")
            calls.check_parts(count)
            self.least, self.most = (count, count) if count else (self.least, self.most)

    def output(self, index: int = 0) -> Value:
        """Return an output and mark it as used."""
        while len(self.outputs) <= index:
            formal = self.definition.output_at(len(self.outputs))
            allowed = self.definition.allowed(formal)
            kind = self.kinds.get(formal.type_str, allowed[0] if len(allowed) == 1 else None)
            self.outputs.append(Value(self.trace, kind, node=self))
        return self.outputs[index]

    def outputs_of(self, count: int | None) -> list[Value]:
        """Return the requested number of outputs; None: those that the node always has."""
        count = self.least if count is None else count
        if not self.least <= count <= self.most:
            outputs = calls.count_of(self.least, self.most, "output")
            are = f"{count} {'is' if count == 1 else 'are'}"
            raise error(f"op.{self.op} has {outputs}, but {are} assigned", f"name {outputs}")
        self.is_unpacked = True
        return [self.output(index) for index in range(count)]

    def to_unpack(self) -> str:
        """Return the remedy for a mapping that takes the outputs for a list; "" for a single
        output.
        """
        if self.is_unpacked or self.most == 1:
            return ""
        names = [formal.name.lower() for formal in self.definition.outputs]
        if len(names) == 1 or not all(name.isidentifier() for name in names):
            count = max(self.least, 2)
            is_longer = count > len(_ORDINALS)
            names = [*_ORDINALS[:2], "..."] if is_longer else [*_ORDINALS[:count]]
        return f"write {', '.join(names)} = op.{self.op}(...)"


class Trace:
    """``op``, which records a mapping's nodes: ``op.ReduceSum(x, keepdims=0)``."""

    def __init__(self, writer: Writer, opset: int) -> None:
        self.writer, self.opset = writer, opset  # the writer tells sizes and dtypes of arguments
        self.graph = Graph()
        self._open = [self.graph]  # and the subgraphs that are being recorded
        self._count, self._items = 0, 0

    def __getattr__(self, op: str) -> Callable[..., Value]:
        if not op[:1].isupper():
            raise AttributeError(op)
        return lambda *inputs, **keywords: self.node(op, inputs, keywords)

    def node(self, op: str, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> Value:
        """Record a node; return its first output."""
        remaining = dict(keywords)
        functions = {name: remaining.pop(name, None) for name in GRAPHS.get(op, ())}
        schema = calls.definition_of(op, self.opset)
        placed = calls.placed(schema, self.opset, inputs, remaining, has_star=False)
        attributes = calls.attributes(schema, self.opset, remaining)
        kinds: dict[str, Kind] = {}
        for place, value in enumerate(placed):
            formal = schema.input_at(place)
            if formal.is_homogeneous and (kind := kind_of(value)) is not None:
                kinds.setdefault(formal.type_str, kind)
        self._take_items(placed)
        self._take_items(attributes.values())
        values = [self._input(schema, place, value, kinds) for place, value in enumerate(placed)]
        while values and values[-1] is None:
            values.pop()
        node = self._add(self._open[-1], schema, values, attributes, kinds)
        if functions:
            self._add_subgraphs(node, functions)
        return node.output()

    def _take_items(self, values: Iterable[Any]) -> None:
        """Count what a node takes: a list as often as nodes take it. Raise MappingError above the
        limit.
        """
        for value in values:
            self._items += len(value) if isinstance(value, str) else len(leaves(value))
        if self._items > _MAX_ITEMS:
            fact = f"the nodes of the mapping have more than {_MAX_ITEMS:,} items together"
            raise error(fact, "write fewer inputs, outputs and items of lists")

    def _input(
        self, schema: Definition, index: int, value: Any, kinds: Mapping[str, Kind]
    ) -> Value | None:
        """Return an input. A number takes the type of the other inputs, or one that the op
        allows.
        """
        calls.check_input(schema, index, value)
        if value is None or isinstance(value, Value):
            return value
        formal, own = schema.input_at(index), natural(value)
        allowed = schema.allowed(formal)
        is_dynamic = any(isinstance(item, DynamicSize) for item in leaves(value))
        if formal.type_str in kinds:
            kind = kinds[formal.type_str]
            return self._computed(value, kind) if is_dynamic else Value(self, kind, number=value)
        if len(allowed) == 1 or (allowed and own not in allowed):
            own = "FLOAT" if "FLOAT" in allowed else allowed[0]
        if schema.name in ("Cast", "CastLike") and own == "FLOAT":
            own = "DOUBLE"  # keep the value exact for a cast to float64
        if own not in NUMBERS:
            fact = f"a constant cannot be of the element type {own}"
            raise error(fact, "cast the other input, by op.Cast(a, to=1), for example")
        return self._computed(value, own) if is_dynamic else Value(self, own, number=value)

    def _computed(self, value: Any, kind: Kind) -> Value:
        """Record the nodes that compute a dynamic size, or lists with one, as a tensor of an
        element type.
        """
        shape = sizes_of(value) or []
        parts = [self._part(item, in_list=bool(shape)) for item in leaves(value)]
        result = self.node("Concat", parts, {"axis": 0}) if shape else parts[0]
        if len(shape) > 1:
            result = self.node("Reshape", [result, shape], {})
        name = kind.trace.writer.element_type(kind.raw) if isinstance(kind, Value) else kind
        if name is None:
            return self.node("CastLike", [result, kind], {})
        if name == "INT64":
            return result
        return self.node("Cast", [result], {"to": TensorProto.DataType.Value(name)})

    def _part(self, item: Any, *, in_list: bool) -> Any:
        """Return an item of a list of integers and sizes as an input of op.Concat, or a size alone
        as a tensor.
        """
        if isinstance(item, DynamicSize):
            sizes = self.node("Shape", [item.tensor], {})
            place = [item.place] if in_list else item.place
            return self.node("Gather", [sizes, place], {"axis": 0})
        if isinstance(item, float):
            fact = "a list has a float and a dynamic size, which is an integer"
            raise error(fact, "write op.Concat(...) of tensors")
        return [int(item)]

    def _add(self, graph: Graph, schema: Definition, *parts: Any) -> Node:
        """Add a node of an op to a graph; the parts are inputs, attributes and element types."""
        self._count += 1
        if self._count > _MAX_NODES:
            raise error(f"the mapping has more than {_MAX_NODES} nodes", "write fewer")
        node = Node(self, graph, schema, *parts)
        self._take_items([None] * node.least)
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(_FOLDER):
            frame = frame.f_back  # to the mapping, the nearest caller outside this folder
        node.place = None if frame is None else (frame.f_code, frame.f_lasti)
        graph.nodes.append(node)
        return node

    def _add_subgraphs(self, node: Node, functions: Mapping[str, Any]) -> None:
        """Record the subgraphs and outputs of an If or a Loop."""
        kinds: list[Kind] = []
        if node.op == "Loop":
            trip_count, condition, *carried = [*node.inputs, None, None][: max(len(node.inputs), 2)]
            # The default is the largest number of iterations.
            if trip_count is None:
                trip_count = Value(self, "INT64", number=2**63 - 1)
            condition = Value(self, "BOOL", number=True) if condition is None else condition
            node.inputs = [trip_count, condition, *carried]
            kinds = ["INT64", "BOOL", *map(kind_of, carried)]
        node.graphs = {n: self._made_by(node.op, n, f, kinds) for n, f in functions.items()}
        graphs = node.graphs.values()
        counts = [len(graph.results) for graph in graphs]
        if len({*counts}) > 1 or (kinds and counts[0] < max(len(kinds) - 1, 2)):
            returned = [f"{name} returns {n}" for name, n in zip(functions, counts, strict=True)]
            remedy = "return the condition, the carried tensors, and scan outputs, if any"
            remedy = remedy if kinds else "return as many in both"
            raise error(f"op.{node.op} needs other results: {' and '.join(returned)}", remedy)
        result_kinds = kinds[1:] or _kinds_of(graphs)
        for graph in graphs:
            self.finish(graph, result_kinds)
        own = [*kinds[2:], *_kinds_of(graphs)[len(kinds[1:]) :]]
        self._take_items(own)
        node.outputs = [Value(self, kind, node=node) for kind in own]
        node.least = node.most = len(own)

    def _made_by(self, op: str, name: str, function: Any, kinds: Sequence[Kind]) -> Graph:
        """Record the subgraph of a function with inputs of these types. `finish` makes its
        outputs.
        """
        calls.check_function(op, name, function, len(kinds))
        if len(self._open) > _MAX_DEPTH:
            raise error(f"more than {_MAX_DEPTH} functions within each other", "write fewer")
        graph = Graph([Value(self, kind) for kind in kinds])
        self._open.append(graph)
        returned = function(*graph.parameters)
        self._open.pop()
        graph.results = [*returned] if isinstance(returned, tuple) else [returned]
        calls.check_tensors(graph.results, f"what {name} returns")
        return graph

    def finish(self, graph: Graph, kinds: Sequence[Kind] = ()) -> None:
        """Make the outputs of a graph from its results. A number takes its type in ``kinds``.
        Inputs, values of outer graphs and values returned twice cannot be outputs, so an Identity
        copies them.
        """
        outputs: list[Value | None] = []
        for value, kind in zip_longest(graph.results, kinds[: len(graph.results)]):
            if isinstance(value, int | float):
                value = Value(self, kind or natural(value), number=value)
            is_own = value is not None and value.node and value.node.graph is graph
            is_new = not any(value is output for output in outputs)
            is_number = graph is self.graph and (value is None or value.number is not None)
            if not (is_number or (is_own and is_new)):
                identity, kind = calls.definition_of("Identity", self.opset), kind_of(value)
                value = self._add(graph, identity, [value], {}, {"T": kind, "V": kind}).output()
            outputs.append(value)
        graph.results = outputs


def kind_of(value: Any) -> Kind:
    """Return the element type of a tensor, or of a number that already has one."""
    return value.kind if isinstance(value, Value) else None


def _kinds_of(graphs: Iterable[Graph]) -> list[Kind]:
    """Return the element type of each result, from the first graph in which it is known."""
    rows = zip(*(map(kind_of, graph.results) for graph in graphs), strict=True)
    return [next((kind for kind in row if kind is not None), None) for row in rows]
