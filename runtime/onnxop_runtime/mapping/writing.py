"""A mapping as exporters, function bodies and checks call it: its nodes, by a writer, as of ONNX's protobufs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onnx import AttributeProto, NodeProto, TensorProto, ValueInfoProto, helper

from . import calls
from .definitions import FLOATS, element_types
from .numbers import Number, is_list, items_of, number, plain
from .problems import MappingError, error, span_at
from .tracing import Graph, Trace
from .values import Value

Function = Callable[..., Any]
Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Body:
    """A graph within a node: an attribute as a writer is given it.

    Attributes:
        parameters: its inputs: scalars of an element type that is named, or tensors of the type of another.
        write: writes its nodes; returns its results, of such inputs.
    """

    parameters: Sequence[Any]
    write: Callable[..., Sequence[Any]]


def rule(
    to_onnx: Function, opset: int, *, scalars: Arguments, results: int | None = None
) -> Callable[..., Any]:
    """Return a mapping at an opset as ``rule(writer, **arguments)``, of the writer's own tensors.

    Args:
        to_onnx: the mapping.
        opset: the opset of the default domain.
        scalars: the kinds of the arguments that are no tensors, by name: ``number``, ``float``, ...
        results: how many results the operator has; None: as many as the mapping gives by itself.
    """

    def write(writer: Any, **arguments: Any) -> Any:
        trace = Trace(writer, opset)
        try:
            kind = traced(to_onnx, trace, arguments, scalars, results)
        except (ArithmeticError, LookupError, TypeError) as problem:
            why = str(problem) or type(problem).__name__
            remedy = "change the arguments of the call, or the mapping"
            raise error(f"the mapping cannot be computed of this call: {why}", remedy) from None
        trace.graph.drop_unused(set())
        found = written(trace.graph, writer)
        return found[0] if kind is None else kind(found)

    return write


def traced(
    to_onnx: Function, trace: Trace, arguments: Arguments, scalars: Arguments, results: int | None
) -> type | None:
    """Run a mapping; return whether its results are a tuple or a list, None where there is a single one."""
    code = to_onnx.__code__
    count = code.co_argcount
    names = code.co_varnames[1:count]  # the first is op
    given = [_argument(trace, arguments[name], scalars.get(name)) for name in names]
    asks = "opset" in code.co_varnames[count:][: code.co_kwonlyargcount]
    if (begin := getattr(to_onnx, "begin", None)) is not None:  # of a text, whose budget this is
        begin()
    found = to_onnx(trace, *given, **({"opset": trace.opset} if asks else {}))
    if isinstance(found, Value) and found.node is not None and results and results > 1:
        found = tuple(found.node.outputs_of(results))
    kind = next((kind for kind in (tuple, list) if isinstance(found, kind)), None)
    values = [found] if kind is None else [*found]
    there = [value for value in values if value is not None or kind is not tuple]
    if values and not there:
        raise error("every result is left out", "return one at least")
    if results not in (None, len(values)):
        raise error(f"the mapping returns {len(values)} results", f"return {results}")
    calls.check_tensors(there, "the result")
    trace.graph.results = values
    trace.finish(trace.graph)
    return kind


def _argument(trace: Trace, value: Any, kind: str | None) -> Any:
    """Return an argument as a mapping is given it."""
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return [_argument(trace, item, None) if kind is None else item for item in value]
    if kind is None:
        tensor = Value(trace, raw=value)
        tensor.kind = tensor
        return tensor
    if kind == "number":
        return number(value)
    return float(value) if kind == "float" and type(value) is int else value


def written(graph: Graph, writer: Any) -> list[Any]:
    """Write the nodes of a graph; return its results as the writer knows them, None of one that is left out."""

    def raw(value: Value | None) -> Any:
        if value is None or value.number is None:
            return None if value is None else value.raw
        like = value.kind.raw if isinstance(value.kind, Value) else value.kind
        is_number = isinstance(value.kind, Value) and isinstance(value.number, Number)
        return writer.constant(plain(value.number), like=like, is_number=is_number)

    def body(graph: Graph, inputs: Sequence[Any]) -> Body:
        def write(*given: Any) -> list[Any]:
            for parameter, each in zip(graph.parameters, given, strict=True):
                parameter.raw = each
            return written(graph, writer)

        return Body(["INT64", "BOOL", *inputs[2:]][: len(graph.parameters)], write)

    for node in graph.nodes:
        try:
            inputs = [raw(value) for value in node.inputs]
            bodies = {name: body(graph, inputs) for name, graph in node.graphs.items()}
            given = {**node.attributes, **bodies}
            found = writer.node(node.op, *inputs, _outputs=node.count, **given)
        except MappingError as problem:
            raise problem.at(span_at(node.place)) from None
        for output, made in zip(node.outputs, found if node.count > 1 else [found], strict=False):
            output.raw = made
    return [raw(value) for value in graph.results]


@dataclass(frozen=True)
class NamedTensor:
    """A tensor of a model or of a body, which has a name alone."""

    name: str


class NodeWriter:
    """Writes nodes of the default ONNX domain.

    Args:
        types: the element types of the arguments by name, where they are known.
        shapes: their sizes, integers where they are known.
    """

    def __init__(self, types: dict[str, int], shapes: dict[str, Sequence[Any]]) -> None:
        self.types, self.shapes = types, shapes
        self.nodes: list[NodeProto] = []

    def names(self, word: str, count: int) -> list[str]:
        """Return new names of values, of a graph or an op that is called so."""
        raise NotImplementedError

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        """Write a node; return its output, or as many as are asked for. None stands for an optional input
        or attribute that is left out.
        """
        made = [self._attribute(*pair) for pair in attributes.items() if pair[1] is not None]
        names = ["" if each is None else each.name for each in inputs]
        node = helper.make_node(op_type, names, self.names(op_type.lower(), _outputs))
        node.attribute.extend(made)
        self.nodes.append(node)
        values = [NamedTensor(name) for name in node.output]
        return values if _outputs > 1 else values[0]

    def _attribute(self, name: str, value: Any) -> AttributeProto:
        if isinstance(value, Body):
            outer, self.nodes = self.nodes, []
            given = self.names(name, len(value.parameters))
            results = value.write(*map(NamedTensor, given))
            ports = [*map(_port, given, value.parameters)]
            ends = [ValueInfoProto(name=result.name) for result in results]
            value, self.nodes = helper.make_graph(self.nodes, name, ports, ends), outer
        return helper.make_attribute(
            name, value, attr_type=AttributeProto.INTS if value == [] else None
        )

    def tensor(self, value: Any, kind: str, name: str = "") -> Any:
        """Write a number, or a list of them, as a tensor of an element type."""
        wanted = float if kind in FLOATS else int
        items = [wanted(item) for item in items_of(value)]
        shape, number = [len(items)] * is_list(value), TensorProto.DataType.Value(kind)
        with warnings.catch_warnings(action="ignore"):  # a large float is infinite
            return self.node("Constant", value=helper.make_tensor(name, number, shape, items))

    def known_sizes(self, tensor: NamedTensor) -> Sequence[Any] | None:
        """Return the sizes of an argument, integers where they are known; None where its rank is not."""
        return self.shapes.get(tensor.name)

    def kind(self, tensor: NamedTensor) -> str | None:
        """Return the element type of an argument, None where it is not known."""
        return element_types().get(self.types.get(tensor.name, 0))


def _port(name: str, kind: Any) -> ValueInfoProto:
    """Return an input of a graph; what depends on the types of the arguments is inferred."""
    if not isinstance(kind, str):
        return ValueInfoProto(name=name)
    return helper.make_tensor_value_info(name, TensorProto.DataType.Value(kind), [])
