"""A mapping as the exporters and function bodies call it: its nodes, written by a writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import calls
from .definitions import FLOATS
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


class Writer:
    """Writes the nodes of the default ONNX domain, and knows of the arguments what an exporter does."""

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        """Write a node; return its output, or as many as are asked for. None stands for an optional input
        or attribute that is left out.
        """
        raise NotImplementedError

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        """Return a number, or a list of them, as a tensor of the element type of another one, or of the one
        named: ``like="INT64"``.

        ``is_number``: the value may be an integer or a float, and PyTorch looks at which.
        """
        raise NotImplementedError

    def known_sizes(self, tensor: Any) -> Sequence[Any] | None:
        """Return the sizes of a tensor, integers where they are known; None where its rank is not."""
        raise NotImplementedError

    def kind(self, tensor: Any) -> str | None:
        """Return ONNX's name of a tensor's element type, or None where it is not known."""
        raise NotImplementedError

    def sizes(self, tensor: Any) -> Sequence[Any]:
        """Return the sizes of a tensor. Raises ValueError where its rank is not known."""
        sizes = self.known_sizes(tensor)
        if sizes is None:
            raise ValueError("the mapping asks for sizes of a tensor whose rank is not known")
        return sizes

    def rank(self, tensor: Any) -> int:
        """Return the number of a tensor's dimensions."""
        return len(self.sizes(tensor))

    def size(self, tensor: Any, dimension: int) -> int:
        """Return a size of a tensor. Raises ValueError where it is dynamic."""
        if self.is_open(tensor, dimension):
            fact = f"the mapping asks for the size of dimension {dimension}, which is open in the model"
            raise error(fact, "export it without that dynamic axis")
        return int(self.sizes(tensor)[dimension])

    def is_open(self, tensor: Any, dimension: int) -> bool:
        """Return whether a size of a tensor is dynamic."""
        count = self.rank(tensor)
        if not -count <= dimension < count:
            raise ValueError(f"dimension {dimension} is asked of a tensor that has {count}")
        return not isinstance(self.sizes(tensor)[dimension], int)

    def is_floating_point(self, tensor: Any) -> bool:
        """Return whether a tensor is of floats. Raises ValueError where its dtype is not known."""
        kind = self.kind(tensor)
        if kind is None:
            raise ValueError("the mapping asks whether a tensor is of floats, which is not known")
        return kind in FLOATS


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

    def write(writer: Writer, **arguments: Any) -> Any:
        graph, kind = traced(to_onnx, opset, writer, arguments, scalars, results)
        graph.drop_unused(set())
        found = written(graph, writer)
        return found[0] if kind is None else kind(found)

    return write


def traced(
    to_onnx: Function,
    opset: int,
    writer: Writer,
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
    trace.finish(trace.graph, values)
    return trace.graph, kind


def _argument(trace: Trace, value: Any, kind: str | None) -> Any:
    """Return an argument as a mapping is given it."""
    if kind is None and isinstance(value, list | tuple):
        return [_argument(trace, item, None) for item in value]
    if value is None or kind is None:
        return None if value is None else Value.argument(trace, value)
    if kind == "number" or isinstance(value, tuple):
        return number(value) if kind == "number" else [*value]
    return float(value) if kind == "float" and type(value) is int else value


def written(graph: Graph, writer: Writer) -> list[Any]:
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
