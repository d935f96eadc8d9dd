"""A mapping as the exporters and function bodies call it: its nodes, written by a writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import calls
from .numbers import Number, number, plain
from .problems import MappingError, error, span_at
from .tracing import Constant, Graph, Input, Trace
from .values import Value

Function = Callable[..., Any]


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
    to_onnx: Function, opset: int, *, scalars: Mapping[str, str], results: int | None = None
) -> Callable[..., Any]:
    """Return a mapping at an opset as ``rule(writer, **arguments)``, of the writer's own tensors.

    Args:
        to_onnx: the mapping.
        opset: the opset of the default domain.
        scalars: the kinds of the arguments that are no tensors, by name: ``number``, ``float``, ...
        results: how many results the operator has; None: as many as the mapping gives by itself.
    """

    def write(writer: Any, **arguments: Any) -> Any:
        graph, kind = traced(to_onnx, opset, writer, arguments, scalars, results)
        graph.drop_unused(set())
        found = written(graph, writer)
        return found[0] if kind is None else kind(found)

    return write


def traced(
    to_onnx: Function,
    opset: int,
    writer: Any,
    arguments: Mapping[str, Any],
    scalars: Mapping[str, str],
    results: int | None,
) -> tuple[Graph, type | None]:
    """Return the nodes and results of a mapping, and whether these are a tuple or a list; None: a single one."""
    trace = Trace(writer, opset)
    code = to_onnx.__code__
    count = code.co_argcount
    names = code.co_varnames[1:count]  # the first is op
    given = [_argument(trace, arguments[name], scalars.get(name)) for name in names]
    asks = "opset" in code.co_varnames[count:][: code.co_kwonlyargcount]
    if (begin := getattr(to_onnx, "begin", None)) is not None:  # of a text, whose budget this is
        begin()
    found = to_onnx(trace, *given, **({"opset": opset} if asks else {}))
    if isinstance(found, Value) and found.node is not None and results and results > 1:
        found = tuple(found.node.outputs_of(results))
    kind = next((kind for kind in (tuple, list) if isinstance(found, kind)), None)
    values = [found] if kind is None else [*found]
    there = [value for value in values if value is not None or kind is not tuple]
    if values and not there:
        raise error("every result is left out", "return one at least")
    calls.check_tensors(there, "the result")
    trace.graph.results = values
    trace.finish(trace.graph)
    return trace.graph, kind


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

    def raw(value: Input) -> Any:
        if isinstance(value, Constant):
            like = value.kind.raw if (beside := isinstance(value.kind, Value)) else value.kind
            is_number = beside and isinstance(value.value, Number)
            return writer.constant(plain(value.value), like=like, is_number=is_number)
        return None if value is None else value.raw

    def body(graph: Graph, inputs: Sequence[Any]) -> Body:
        def write(*given: Any) -> list[Any]:
            for parameter, each in zip(graph.parameters, given, strict=True):
                parameter.raw = each
            return written(graph, writer)

        return Body(["INT64", "BOOL", *inputs[2:]][: len(graph.parameters)], write)

    for node in graph.nodes:
        try:
            inputs = [raw(value) for value in node.inputs]
            attributes = {
                name: body(value, inputs) if isinstance(value, Graph) else value
                for name, value in node.attributes.items()
            }
            found = writer.node(node.op, *inputs, _outputs=node.count, **attributes)
        except MappingError as problem:
            raise problem.at(span_at(node.place)) from None
        for output, made in zip(node.outputs, found if node.count > 1 else [found], strict=False):
            output.raw = made
    return [raw(value) for value in graph.results]
