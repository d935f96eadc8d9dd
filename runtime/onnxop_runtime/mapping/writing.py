"""Mappings as rules for exporters, function bodies and checks, which write nodes with a writer."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, ValueInfoProto, helper

from . import calls
from .definitions import ELEMENT_TYPES, FLOATS
from .numbers import Number, leaves, number, plain, sizes_of
from .placeholders import Value
from .problems import MappingError, error, span_of_instruction
from .tracing import Graph, Trace
from .writer import Writer

Function = Callable[..., Any]
Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Body:
    """A subgraph of a node, as an attribute for a writer."""

    parameters: Sequence[Any]
    """The inputs: an element type for a scalar, or a tensor that has the input's type."""
    write_nodes: Callable[..., Sequence[Any]]
    """Writes the nodes for given inputs; returns the results."""


def rule_for_writer(
    to_onnx: Function, opset: int, *, scalars: Arguments, results: int | None = None
) -> Callable[..., Any]:
    """Return a mapping at an opset as ``rule(writer, **arguments)``, for tensors of the writer.

    ``scalars``: the types of the arguments that are not tensors, by name: ``number``, ...
    ``results``: the number of the operator's results; None: any number.
    """

    def write_nodes(writer: Writer, **arguments: object) -> object:
        trace = Trace(writer, opset)
        try:
            sequence_type = record_mapping(to_onnx, trace, arguments, scalars, results)
        except (ArithmeticError, LookupError, TypeError) as failure:
            reason = str(failure) or type(failure).__name__
            remedy = "change the arguments of the call, or the mapping"
            raise error(f"the mapping fails for this call: {reason}", remedy) from None
        trace.graph.drop_unused(set())
        outputs = write_graph(trace.graph, writer)
        return outputs[0] if sequence_type is None else sequence_type(outputs)

    return write_nodes


def record_mapping(
    to_onnx: Function, trace: Trace, arguments: Arguments, scalars: Arguments, results: int | None
) -> type | None:
    """Run a mapping, which records its nodes and results in the trace. Return tuple or list, the type
    of its results, or None for a single result.
    """
    code = to_onnx.__code__
    count = code.co_argcount
    names = code.co_varnames[1:count]  # the first is op
    inputs = [_argument(trace, name, arguments[name], scalars.get(name)) for name in names]
    asks = "opset" in code.co_varnames[count:][: code.co_kwonlyargcount]
    if (begin := getattr(to_onnx, "begin", None)) is not None:  # a mapping from text has a budget
        begin()
    returned = to_onnx(trace, *inputs, **({"opset": trace.opset} if asks else {}))
    if isinstance(returned, Value) and returned.node is not None and results and results > 1:
        returned = tuple(returned.node.outputs_of(results))
    sequence_type = next((type_ for type_ in (tuple, list) if isinstance(returned, type_)), None)
    values = [returned] if sequence_type is None else [*returned]
    present = [value for value in values if value is not None or sequence_type is not tuple]
    if values and not present:
        raise error("every result is left out", "return one at least")
    if results not in (None, len(values)):
        raise error(f"the mapping returns {len(values)} results", f"return {results}")
    calls.check_tensors(present, "the result")
    trace.graph.results = values
    trace.finish(trace.graph)
    return sequence_type


def _argument(trace: Trace, name: str, value: object, scalar_type: str | None) -> object:
    """Return an argument in the form that a mapping takes."""
    if value is None:
        return None
    if isinstance(value, list | tuple):
        if scalar_type is not None:
            return [*value]
        return [_argument(trace, f"{name}[{i}]", item, None) for i, item in enumerate(value)]
    if scalar_type is None:
        tensor = Value(trace, raw=value, name=name)
        tensor.element_type = tensor
        return tensor
    if scalar_type == "number":
        return number(value)
    return float(value) if scalar_type == "float" and type(value) is int else value


def write_graph(graph: Graph, writer: Writer) -> list[Any]:
    """Write the nodes of a graph; return the writer's results, None for results left out."""

    def raw(value: Value | None) -> object:
        """Return the writer's own form of a value, which is a constant for a number; None for an
        input that is left out.
        """
        if value is None:
            return None
        if value.number is None:
            return value.raw
        constant = plain(value.number)
        if not isinstance(value.element_type, Value):
            return writer.constant(constant, like=value.element_type, is_number=False)
        is_number = isinstance(value.number, Number)
        return writer.constant(constant, like=value.element_type.raw, is_number=is_number)

    def body(graph: Graph, inputs: Sequence[object]) -> Body:
        def write_nodes(*tensors: object) -> list[object]:
            for parameter, tensor in zip(graph.parameters, tensors, strict=True):
                parameter.raw = tensor
            return write_graph(graph, writer)

        return Body(["INT64", "BOOL", *inputs[2:]][: len(graph.parameters)], write_nodes)

    for node in graph.nodes:
        count = max(len(node.outputs), node.least)
        try:
            inputs = [raw(value) for value in node.inputs]
            bodies = {name: body(graph, inputs) for name, graph in node.graphs.items()}
            outputs = writer.node(node.op, *inputs, _outputs=count, **node.attributes, **bodies)
        except MappingError as problem:
            raise problem.at(span_of_instruction(node.instruction)) from None
        tensors = outputs if count > 1 else [outputs]
        for output, tensor in zip(node.outputs, tensors, strict=False):
            output.raw = tensor
    return [raw(value) for value in graph.results]


@dataclass(frozen=True)
class NamedTensor:
    """A tensor of a model or of a function body, known by its name."""

    name: str


class NodeWriter:
    """Writes nodes of the default ONNX domain, for arguments of these known types and shapes.

    ``exporter`` and ``remedy_for_sizes`` are for messages about sizes that are unknown.
    """

    exporter = "the exporter"
    remedy_for_sizes = "compute with op.Shape(...) in the mapping"

    def __init__(self, types: dict[str, int], shapes: dict[str, Sequence[Any]]) -> None:
        self.types, self.shapes = types, shapes
        self.nodes: list[NodeProto] = []

    def names(self, prefix: str, count: int) -> list[str]:
        """Return new names for values of the subgraph or op ``prefix``."""
        raise NotImplementedError

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        """Write a node; return its output, or ``_outputs`` of them. None omits an optional part."""
        protos = [self._attribute(*pair) for pair in attributes.items() if pair[1] is not None]
        names = ["" if t is None else t.name for t in inputs]
        node = helper.make_node(op_type, names, self.names(op_type.lower(), _outputs))
        node.attribute.extend(protos)
        self.nodes.append(node)
        values = [NamedTensor(name) for name in node.output]
        return values if _outputs > 1 else values[0]

    def _attribute(self, name: str, value: object) -> AttributeProto:
        """Return an attribute; a body becomes a graph with the nodes that it writes."""
        if isinstance(value, Body):
            value = self._graph(name, value)
        return helper.make_attribute(
            name, value, attr_type=AttributeProto.INTS if value == [] else None
        )

    def _graph(self, name: str, body: Body) -> GraphProto:
        """Return a body as a graph."""
        outer_nodes, self.nodes = self.nodes, []
        inputs = self.names(name, len(body.parameters))
        results = body.write_nodes(*map(NamedTensor, inputs))
        body_nodes, self.nodes = self.nodes, outer_nodes
        ports = [*map(_port, inputs, body.parameters)]
        ends = [ValueInfoProto(name=result.name) for result in results]
        return helper.make_graph(body_nodes, name, ports, ends)

    def tensor(self, value: object, element_type: str, name: str = "") -> NamedTensor:
        """Write a number or lists of numbers as a tensor of an element type."""
        convert = float if element_type in FLOATS else int
        items = [convert(item) for item in leaves(value)]
        shape, number = sizes_of(value) or [], TensorProto.DataType.Value(element_type)
        with warnings.catch_warnings(action="ignore"):  # a large float is infinite
            tensor = helper.make_tensor(name, number, shape, items)
            result: NamedTensor = self.node("Constant", value=tensor)
        return result

    def known_sizes(self, tensor: NamedTensor) -> Sequence[Any] | None:
        """Return the sizes of an argument: integers, names of dynamic ones, and None for unknown
        ones; None if its rank is unknown.
        """
        return self.shapes.get(tensor.name)

    def element_type(self, tensor: NamedTensor) -> str | None:
        """Return the element type of an argument, or None if it is unknown."""
        return ELEMENT_TYPES.get(self.types.get(tensor.name, 0))


def _port(name: str, parameter: str | NamedTensor) -> ValueInfoProto:
    """Return an input of a subgraph; a type that depends on the arguments is inferred."""
    if not isinstance(parameter, str):
        return ValueInfoProto(name=name)
    return helper.make_tensor_value_info(name, TensorProto.DataType.Value(parameter), [])
