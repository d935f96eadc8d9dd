"""A mapping that runs: the nodes that it makes, in order, before any of them is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Union

from . import calls
from .definitions import Definition, element_types
from .numbers import natural
from .problems import Place, error

if TYPE_CHECKING:
    from .values import Value

Kind = Union["Value", str, None]
"""An element type: that of an argument, the name of one, or none that is known."""

GRAPHS = {"If": ("then_branch", "else_branch"), "Loop": ("body",)}
"""The ops that hold graphs, and the attributes that these are."""

_MAX_NODES, _MAX_GRAPHS, _MAX_DEPTH = 10_000, 1_000, 10
_FOLDER = f"{Path(__file__).parent}{os.sep}"
_LOOP_DEFAULTS = (2**63 - 1, True)  # as many rounds as there can be


@dataclass(frozen=True)
class Constant:
    """A number where a tensor is wanted, of an element type."""

    value: Any
    kind: Kind


Input = Union["Value", Constant, None]


@dataclass(eq=False)
class Graph:
    """The nodes of a mapping, or of a function within it, in order."""

    nodes: list[Written] = field(default_factory=list)
    parameters: list[Value] = field(default_factory=list)
    results: list[Input] = field(default_factory=list)


@dataclass(eq=False)
class Written:
    """A node: its inputs and attributes, and the graphs that it holds, by their attributes."""

    trace: Trace
    graph: Graph
    definition: Definition
    inputs: list[Input]
    attributes: dict[str, Any]
    place: Place | None
    kinds: dict[str, Kind] = field(default_factory=dict)
    graphs: dict[str, Graph] = field(default_factory=dict)
    graph_kinds: list[Kind] | None = None
    used: int = 1  # how many outputs
    raws: list[Any] = field(default_factory=list)

    @property
    def op(self) -> str:
        return self.definition.name

    @property
    def count(self) -> int:
        """How many outputs the node is written with."""
        if self.graph_kinds is not None:
            return len(self.graph_kinds)
        return max(self.used, self.definition.min_output, _parts_of(self) or 1)

    def kind_of(self, index: int) -> Kind:
        """Return the element type of an output, as far as it is known."""
        if self.graph_kinds is not None:
            return self.graph_kinds[index]
        fixed = _fixed_kind(self)
        if fixed is not None:
            return fixed
        formal = self.definition.output_at(index)
        if formal.type_str in self.kinds:
            return self.kinds[formal.type_str]
        allowed = self.definition.allowed(formal)
        return allowed[0] if len(allowed) == 1 else None

    def output(self, index: int) -> Value:
        """Return an output, which is used from now on."""
        from .values import Value

        self.used = max(self.used, index + 1)
        return Value(self.trace, self.kind_of(index), self, index)

    def outputs_of(self, wanted: int | None) -> list[Value]:
        """Return as many outputs as are wanted; None: those that the node has by itself."""
        least, most = self.definition.min_output, self.definition.max_output
        if self.graph_kinds is not None:
            least = most = len(self.graph_kinds)
        elif parts := _parts_of(self):
            least = most = parts
        if wanted is None:
            wanted = least
        if not least <= wanted <= most:
            outputs = calls.count_of(least, most, "output")
            are = f"{wanted} {'is' if wanted == 1 else 'are'}"
            raise error(f"op.{self.op} has {outputs}, but {are} assigned", f"name {outputs}")
        return [self.output(index) for index in range(wanted)]


def _parts_of(node: Written) -> int | None:
    """Return the number of outputs that a Split says itself."""
    if node.op != "Split":
        return None
    sizes = node.inputs[1] if len(node.inputs) > 1 else None
    parts = sizes.value if isinstance(sizes, Constant) else node.attributes.get("split")
    if isinstance(parts, list | tuple):
        return len(parts)
    count = node.attributes.get("num_outputs")
    return int(count) if isinstance(count, int) else None


def _fixed_kind(node: Written) -> str | None:
    """Return the element type that an attribute sets."""
    if node.op == "Cast" and isinstance(node.attributes.get("to"), int):
        return element_types().get(int(node.attributes["to"]))
    if node.op == "Constant":
        names = {"float": "FLOAT", "int": "INT64", "string": "STRING"}
        word = next((key for key in node.attributes if key.startswith("value_")), "")
        return names.get(word.removeprefix("value_").removesuffix("s"))
    return None


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

    def node(self, op: str, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Return the first output of a new node."""
        self._made += 1
        if self._made > _MAX_NODES:
            raise error(f"the mapping has more than {_MAX_NODES} nodes", "write fewer")
        given = dict(keywords)
        functions = {name: given.pop(name) for name in GRAPHS.get(op, ()) if name in given}
        definition = calls.definition_of(op, self.opset)
        placed = calls.placed(definition, self.opset, inputs, given)
        attributes = calls.attributes(definition, self.opset, given)
        kinds = _bound(definition, placed)
        found = [_input(definition, place, value, kinds) for place, value in enumerate(placed)]
        while found and found[-1] is None:
            found.pop()
        node = Written(self, self._graphs[-1], definition, found, attributes, place_here(), kinds)
        if op in GRAPHS:
            self._hold(node, functions)
        self._graphs[-1].nodes.append(node)
        return node.output(0)

    def _hold(self, node: Written, functions: Mapping[str, Any]) -> None:
        """Give a node its graphs, and the types of what it gives."""
        calls.check_functions(node.op, GRAPHS[node.op], functions)
        if node.op == "If":
            found = [self._called(node, name, functions[name], []) for name in GRAPHS["If"]]
            calls.check_branches(*(len(results) for _, results in found))
            sides = [[kind_of(value) for value in results] for _, results in found]
            for (graph, results), others in zip(found, reversed(sides), strict=True):
                self._finish(graph, results, others)
            node.graphs = dict(zip(GRAPHS["If"], (graph for graph, _ in found), strict=True))
            pairs = zip(
                *([kind_of(value) for value in graph.results] for graph, _ in found), strict=True
            )
            node.graph_kinds = [other if one is None else one for one, other in pairs]
            return
        first: list[Input] = [*node.inputs[:2], *[None] * (2 - len(node.inputs))]
        for place, (value, kind) in enumerate(zip(_LOOP_DEFAULTS, ("INT64", "BOOL"), strict=True)):
            first[place] = Constant(value, kind) if first[place] is None else first[place]
        node.inputs = [*first, *node.inputs[2:]]
        kinds: list[Kind] = ["INT64", "BOOL", *map(kind_of, node.inputs[2:])]
        graph, results = self._called(node, "body", functions["body"], kinds)
        calls.check_rounds(len(results), len(kinds) - 1)
        self._finish(graph, results, kinds[1:])
        node.graphs = {"body": graph}
        node.graph_kinds = [*kinds[2:], *map(kind_of, graph.results[len(kinds) - 1 :])]

    def _called(
        self, node: Written, name: str, function: Callable[..., Any], kinds: Sequence[Kind]
    ) -> tuple[Graph, list[Any]]:
        """Return a graph, and what its function returns."""
        from .values import Value

        self._held += 1
        calls.check_parameters(node.op, name, function, len(kinds))
        if len(self._graphs) > _MAX_DEPTH:
            raise error(f"more than {_MAX_DEPTH} functions within each other", "write fewer")
        if self._held > _MAX_GRAPHS:
            raise error(f"more than {_MAX_GRAPHS} graphs", "write fewer")
        graph = Graph(parameters=[Value(self, kind) for kind in kinds])
        with self._within(graph):
            results = function(*graph.parameters)
        results = list(results) if isinstance(results, tuple) else [results]
        for result in results:
            calls.check_is_tensor(result, "a function gives tensors")
        return graph, results

    def _finish(self, graph: Graph, results: Sequence[Any], kinds: Sequence[Kind]) -> None:
        """Give a graph its results, numbers of these types: each of a node of its own, of this graph."""
        taken: set[tuple[int, int]] = set()
        with self._within(graph):
            for place, result in enumerate(results):
                value: Any = as_input(result, kinds[place] if place < len(kinds) else None)
                is_own = is_value(value) and value.node is not None and value.node.graph is graph
                if not is_own or key_of(value) in taken:
                    value = self.copy(value)
                taken.add(key_of(value))
                graph.results.append(value)

    def copy(self, value: Input) -> Value:
        """Return a value by an Identity."""
        definition = calls.definition_of("Identity", self.opset)
        kind = value.kind if value is not None else None
        node = Written(
            self, self._graphs[-1], definition, [value], {}, place_here(), {"T": kind, "V": kind}
        )
        self._graphs[-1].nodes.append(node)
        return node.output(0)

    @contextmanager
    def _within(self, graph: Graph) -> Iterator[None]:
        self._graphs.append(graph)
        try:
            yield
        finally:
            self._graphs.pop()


class Traced:
    """What stands for a tensor."""


def is_value(value: Any) -> bool:
    """Return whether it stands for a tensor."""
    return isinstance(value, Traced)


def key_of(value: Any) -> tuple[int, int]:
    """Return what two values have in common that are the same tensor."""
    return (id(value), 0) if value.node is None else (id(value.node), value.index)


def kind_of(value: Any) -> Kind:
    """Return the element type of a tensor, or of a number that is one already."""
    return value.kind if is_value(value) or isinstance(value, Constant) else None


def as_input(value: Any, kind: Kind) -> Input:
    """Return a tensor, or a number as one of an element type; by default its own."""
    if value is None or is_value(value):
        found: Input = value
        return found
    return Constant(value, kind or natural(value))


def _bound(definition: Definition, inputs: Sequence[Any]) -> dict[str, Kind]:
    """Return the element types of the op's type variables, as its tensors settle them."""
    found: dict[str, Kind] = {}
    for place, value in enumerate(inputs):
        formal = definition.input_at(place)
        if formal.is_homogeneous and (kind := kind_of(value)) is not None:
            found.setdefault(formal.type_str, kind)
    return found


def _input(definition: Definition, place: int, value: Any, kinds: Mapping[str, Kind]) -> Input:
    """Return an input, numbers as tensors of the type of those beside them, or of one that the op takes."""
    calls.check_input(definition, place, value)
    if value is None or is_value(value):
        found: Input = value
        return found
    formal = definition.input_at(place)
    if formal.type_str in kinds:
        return Constant(value, kinds[formal.type_str])
    allowed, own = definition.allowed(formal), natural(value)
    if len(allowed) == 1 or (allowed and own not in allowed):
        own = "FLOAT" if len(allowed) > 1 and "FLOAT" in allowed else allowed[0]
    calls.check_constant_kind(own)
    return Constant(value, own)


def place_here() -> Place | None:
    """Return the instruction of the mapping that is run: the nearest outside of this folder."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_FOLDER):
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti)
