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

from . import calls, known
from .calls import GRAPHS, TYPES
from .definitions import ELEMENT_TYPES, NUMBERS, Definition, Formal
from .known import KnownTensor
from .numbers import is_list, leaves, natural, sizes_of
from .placeholders import DynamicSize, ElementType, Value
from .problems import error
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
    element_types: dict[str, ElementType]
    """The known element types by type variable of the op."""
    outputs: list[Value] = field(default_factory=list)
    """The used outputs, of which the node has at least ``least`` and at most ``most``."""
    graphs: dict[str, Graph] = field(default_factory=dict)
    is_unpacked: bool = False
    """Whether the mapping has given its outputs names."""
    instruction: tuple[CodeType, int] | None = None
    """The instruction of the mapping that made the node."""

    def __post_init__(self) -> None:
        """Set what follows from the op and its inputs: types, known numbers, the number of
        outputs.
        """
        op, attributes = self.definition, self.attributes
        self.op, self.least, self.most = op.name, op.min_output, op.max_output
        for name, value in attributes.items():
            if name in TYPES and isinstance(value, int) and value:
                self.element_types[op.outputs[0].type_str] = ELEMENT_TYPES.get(value)
            elif name in _CONSTANTS:
                self.element_types["T"] = _CONSTANTS[name]
        inputs = [self.trace.known_of(value) for value in self.inputs]
        self.known = known.output_of(self.op, inputs, attributes)
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
            element_type = self.element_types.get(formal.type_str)
            allowed = self.definition.allowed(formal)
            if formal.type_str not in self.element_types and len(allowed) == 1:
                element_type = allowed[0]
            is_first = not self.outputs
            of_output = self.known if is_first else None
            self.outputs.append(Value(self.trace, element_type, node=self, known=of_output))
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

    def unpacking_remedy(self) -> str:
        """Return the remedy for a mapping that takes the outputs for a list; "" for a single
        output.
        """
        if self.is_unpacked or self.most == 1:
            return ""
        names = [formal.name.lower() for formal in self.definition.outputs]
        if len(names) == 1 or not all(name.isidentifier() for name in names):
            names = _ordinals(max(self.least, 2))
        return f"write {', '.join(names)} = op.{self.op}(...)"


def _ordinals(count: int) -> list[str]:
    """Return so many names for outputs, or the first two and dots."""
    return [*_ORDINALS[:count]] if count <= len(_ORDINALS) else [*_ORDINALS[:2], "..."]


class Trace:
    """``op``, which records a mapping's nodes: ``op.ReduceSum(x, keepdims=0)``."""

    def __init__(self, writer: Writer, opset: int) -> None:
        self.writer, self.opset = writer, opset  # the writer tells sizes and dtypes of arguments
        self.graph = Graph()
        self._open = [self.graph]  # and the subgraphs that are being recorded
        self._count, self._items = 0, 0
        self.reads_sizes = False

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
        types = _types_by_variable(schema, placed)
        self._take_items(placed)
        self._take_items(attributes.values())
        values = [self._input(schema, index, value, types) for index, value in enumerate(placed)]
        while values and values[-1] is None:
            values.pop()
        node = self._add(self._open[-1], schema, values, attributes, types)
        if functions:
            self._add_subgraphs(node, functions)
        return node.output()

    def known_of(self, value: Value | None) -> KnownTensor | None:
        """Return what is known of a value before the model runs."""
        if value is None:
            return None
        if value.number is not None:
            return known.constant(value.number)
        if value.node is None and value.raw is not None:
            return known.argument(self.writer.known_sizes(value.raw))
        return value.known

    def _take_items(self, values: Iterable[object]) -> None:
        """Count what a node takes: a list as often as nodes take it. Raise MappingError above the
        limit.
        """
        for value in values:
            self._items += len(value) if isinstance(value, str) else len(leaves(value))
        if self._items > _MAX_ITEMS:
            fact = f"the nodes of the mapping have more than {_MAX_ITEMS:,} items together"
            raise error(fact, "write fewer inputs, outputs and items of lists")

    def _input(
        self, schema: Definition, index: int, value: object, types: Mapping[str, ElementType]
    ) -> Value | None:
        """Return an input. A number takes the type of the other inputs, or one that the op
        allows. ``types`` are those of the other inputs, by type variable.
        """
        calls.check_input(schema, index, value)
        if value is None or isinstance(value, Value):
            return value
        formal = schema.input_at(index)
        if formal.type_str in types:
            element_type = types[formal.type_str]
        else:
            element_type = _type_of_number(schema, formal, value)
        if any(isinstance(item, DynamicSize) for item in leaves(value)):
            return self._computed(value, element_type)
        return Value(self, element_type, number=value)

    def _computed(self, value: object, element_type: ElementType) -> Value:
        """Record the nodes that compute a dynamic size, or lists with one, as a tensor of an
        element type.
        """
        shape = sizes_of(value) or []
        parts = [self._size_part(item, in_list=bool(shape)) for item in leaves(value)]
        result = self.node("Concat", parts, {"axis": 0}) if shape else parts[0]
        if len(shape) > 1:
            result = self.node("Reshape", [result, shape], {})
        name = element_type
        if isinstance(element_type, Value):
            name = element_type.trace.writer.element_type(element_type.raw)
        if name is None:
            return self.node("CastLike", [result, element_type], {})
        if name == "INT64":
            return result
        return self.node("Cast", [result], {"to": TensorProto.DataType.Value(name)})

    def _size_part(self, item: Any, *, in_list: bool) -> Any:
        """Return an item of a list of integers and sizes as an input of op.Concat, or a size alone
        as a tensor.
        """
        if isinstance(item, DynamicSize):
            sizes = self.node("Shape", [item.tensor], {})
            index = [item.dimension] if in_list else item.dimension
            return self.node("Gather", [sizes, index], {"axis": 0})
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
        self._take_items([None for _ in range(node.least)])
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(_FOLDER):
            frame = frame.f_back  # to the mapping, the nearest caller outside this folder
        node.instruction = None if frame is None else (frame.f_code, frame.f_lasti)
        graph.nodes.append(node)
        return node

    def _add_subgraphs(self, node: Node, functions: Mapping[str, object]) -> None:
        """Record the subgraphs and outputs of an If or a Loop."""
        input_types: list[ElementType] = []
        if node.op == "Loop":
            node.inputs = self._inputs_of_loop(node.inputs)
            input_types = ["INT64", "BOOL", *map(element_type_of, node.inputs[2:])]
        node.graphs = {n: self._made_by(node.op, n, f, input_types) for n, f in functions.items()}
        graphs = node.graphs.values()
        counts = [len(graph.results) for graph in graphs]
        if len({*counts}) > 1 or (input_types and counts[0] < max(len(input_types) - 1, 2)):
            returned = [f"{name} returns {n}" for name, n in zip(functions, counts, strict=True)]
            remedy = "return as many in both"
            if node.op == "Loop":
                remedy = "return the condition, the carried tensors, and scan outputs, if any"
            raise error(f"op.{node.op} needs other results: {' and '.join(returned)}", remedy)
        result_types = input_types[1:] or _element_types_of(graphs)
        for graph in graphs:
            self.finish(graph, result_types)
        scanned_types = _element_types_of(graphs)[len(input_types[1:]) :]
        output_types = [*input_types[2:], *scanned_types]
        self._take_items(output_types)
        node.outputs = [Value(self, element_type, node=node) for element_type in output_types]
        node.least = node.most = len(output_types)

    def _inputs_of_loop(self, inputs: Sequence[Value | None]) -> list[Value | None]:
        """Return the inputs of a Loop: the number of iterations, the condition, what it carries."""
        padded = [*inputs]
        while len(padded) < 2:
            padded.append(None)
        trip_count, condition, *carried = padded
        if trip_count is None:  # the largest number of iterations
            trip_count = Value(self, "INT64", number=2**63 - 1)
        if condition is None:
            condition = Value(self, "BOOL", number=True)
        return [trip_count, condition, *carried]

    def _made_by(
        self, op: str, name: str, function: Any, input_types: Sequence[ElementType]
    ) -> Graph:
        """Record the subgraph of a function with inputs of these types. `finish` makes its
        outputs.
        """
        calls.check_function(op, name, function, len(input_types))
        if len(self._open) > _MAX_DEPTH:
            raise error(f"more than {_MAX_DEPTH} functions within each other", "write fewer")
        graph = Graph([Value(self, element_type) for element_type in input_types])
        self._open.append(graph)
        returned = function(*graph.parameters)
        self._open.pop()
        graph.results = [*returned] if isinstance(returned, tuple) else [returned]
        calls.check_tensors(graph.results, f"what {name} returns")
        return graph

    def finish(self, graph: Graph, types: Sequence[ElementType] = ()) -> None:
        """Make the outputs of a graph from its results. A number takes its type in ``types``.
        Inputs, values of outer graphs and values returned twice cannot be outputs, so an Identity
        copies them.
        """
        outputs: list[Value | None] = []
        for value, element_type in zip_longest(graph.results, types[: len(graph.results)]):
            if isinstance(value, int | float):
                value = Value(self, element_type or natural(value), number=value)
            is_of_graph = value is not None and value.node and value.node.graph is graph
            is_new = not any(value is output for output in outputs)
            is_number = graph is self.graph and (value is None or value.number is not None)
            if not (is_number or (is_of_graph and is_new)):
                value = self._copied(graph, value)
            outputs.append(value)
        graph.results = outputs

    def _copied(self, graph: Graph, value: Value) -> Value:
        """Return the output of an Identity of a value."""
        identity, element_type = calls.definition_of("Identity", self.opset), element_type_of(value)
        types = {"T": element_type, "V": element_type}
        return self._add(graph, identity, [value], {}, types).output()


def _types_by_variable(schema: Definition, inputs: Sequence[object]) -> dict[str, ElementType]:
    """Return the known element types of inputs, by the op's type variables."""
    types: dict[str, ElementType] = {}
    for index, value in enumerate(inputs):
        formal, element_type = schema.input_at(index), element_type_of(value)
        if formal.is_homogeneous and element_type is not None:
            types.setdefault(formal.type_str, element_type)
    return types


def _type_of_number(schema: Definition, formal: Formal, value: object) -> str:
    """Return the element type of a number that has no other input to take it from."""
    element_type, allowed = natural(value), schema.allowed(formal)
    if len(allowed) == 1 or (allowed and element_type not in allowed):
        element_type = "FLOAT" if "FLOAT" in allowed else allowed[0]
    if schema.name in ("Cast", "CastLike") and element_type == "FLOAT":
        element_type = "DOUBLE"  # keep the value exact for a cast to float64
    if element_type not in NUMBERS:
        fact = f"a constant cannot be of the element type {element_type}"
        raise error(fact, "cast the other input, by op.Cast(a, to=1), for example")
    return element_type


def element_type_of(value: object) -> ElementType:
    """Return the element type of a tensor, or of a number that already has one."""
    return value.element_type if isinstance(value, Value) else None


def _element_types_of(graphs: Iterable[Graph]) -> list[ElementType]:
    """Return the element type of each result, from the first graph in which it is known."""
    by_graph = [map(element_type_of, graph.results) for graph in graphs]
    by_result = zip(*by_graph, strict=True)
    return [next((type_ for type_ in types if type_ is not None), None) for types in by_result]
