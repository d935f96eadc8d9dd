"""A mapping as the exporters and function bodies call it: its nodes, written by a writer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import calls
from .definitions import element_type
from .numbers import FloatNumber, IntNumber, check_fits, natural, number, plain
from .problems import MappingError, error, span_at
from .tracing import Constant, Graph, Input, Node, Trace
from .values import Operators, Value

Function = Callable[..., Any]


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
        trace, is_several = traced(to_onnx, opset, writer, arguments, scalars, results)
        found = Writing(trace, writer).results()
        return is_several(found) if is_several is not None else found[0]

    return write


def traced(
    to_onnx: Function,
    opset: int,
    writer: Any,
    arguments: Mapping[str, Any],
    scalars: Mapping[str, str],
    results: int | None,
) -> tuple[Trace, type | None]:
    """Return the nodes of a mapping, whose graph has its results, and whether these are a tuple or a list;
    None: a single one.
    """
    trace = Trace(writer, opset)
    code = to_onnx.__code__
    names = code.co_varnames[1 : code.co_argcount]  # the first is op
    given = [_argument(trace, arguments[name], scalars.get(name)) for name in names]
    asks = "opset" in code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    if (begin := getattr(to_onnx, "begin", None)) is not None:  # of a text, whose budget this is
        begin()
    found = to_onnx(Operators(trace), *given, **({"opset": opset} if asks else {}))
    if isinstance(found, Value) and found.node is not None and results and results > 1:
        found = tuple(found.node.outputs_of(results))
    kind = next((kind for kind in (tuple, list) if isinstance(found, kind)), None)
    values = [found] if kind is None else list(found)
    trace.graph.results = _results(trace, values, may_lack=kind is tuple)
    return trace, kind


def _argument(trace: Trace, value: Any, kind: str | None) -> Any:
    """Return an argument as a mapping is given it."""
    if value is None:
        return None
    if kind is None:
        if isinstance(value, list | tuple):
            return [_argument(trace, item, None) for item in value]
        return Value(trace, raw=value, is_argument=True)
    if isinstance(value, tuple):
        return [*value]
    if kind == "number":
        return number(value)
    return float(value) if kind == "float" and type(value) is int else value


def _results(trace: Trace, values: Sequence[Any], *, may_lack: bool) -> list[Input]:
    """Return the results, each of a node of its own: no input is an output, nor one value two of them."""
    if may_lack and all(value is None for value in values):
        raise error("every result is left out", "return one at least")
    calls.check_tensors((v for v in values if not may_lack or v is not None), "the result")
    taken: set[tuple[int, int]] = set()
    found: list[Input] = []
    for value in values:
        if isinstance(value, Value):
            value = trace.copy(value) if value.is_argument or value.key in taken else value
            taken.add(value.key)
        elif value is not None:
            value = Constant(value, natural(value))
        found.append(value)
    return found


class Writing:
    """Writes the nodes of a trace, in order, but for those that lead to no result."""

    def __init__(self, trace: Trace, writer: Any, *, is_whole: bool = False) -> None:
        self._trace, self._writer, self._is_whole = trace, writer, is_whole
        self._kept: set[int] = set()
        self._keep(trace.graph)

    def results(self) -> list[Any]:
        """Write the nodes, and return the results as the writer knows them; None of one that is left out."""
        self._nodes(self._trace.graph)
        return [None if value is None else self._raw(value) for value in self._trace.graph.results]

    def _keep(self, graph: Graph) -> None:
        """Note the nodes that lead to a graph's results, those around it included."""
        self._note(graph.results)
        for node in reversed(graph.nodes):
            if self._is_whole or id(node) in self._kept:
                self._note(node.inputs)
                for inner in node.graphs.values():
                    self._keep(inner)

    def _note(self, values: Iterable[Input]) -> None:
        self._kept |= {id(value.node) for value in values if isinstance(value, Value)}

    def _nodes(self, graph: Graph) -> None:
        """Write the nodes of a graph."""
        for node in graph.nodes:
            if self._is_whole or id(node) in self._kept:
                try:
                    node.raws = self._written(node)
                except MappingError as problem:
                    raise problem.at(span_at(node.place)) from None

    def _written(self, node: Node) -> list[Any]:
        inputs = [None if value is None else self._raw(value) for value in node.inputs]
        if node.graphs:
            bodies = {name: self._body(graph) for name, graph in node.graphs.items()}
            parameters = ["INT64", "BOOL", *inputs[2:]] if node.op == "Loop" else []
            found = self._writer.nesting(node.op, inputs, bodies, parameters, node.count)
        else:
            found = self._writer.node(node.op, *inputs, _outputs=node.count, **node.attributes)
        return list(found) if node.count > 1 else [found]

    def _body(self, graph: Graph) -> Callable[..., Any]:
        """Return a graph as the function that the writer calls for its nodes."""

        def body(*raws: Any) -> tuple[Any, ...]:
            for parameter, raw in zip(graph.parameters, raws, strict=True):
                parameter.raw = raw
            self._nodes(graph)
            return tuple(self._raw(value) for value in graph.results if value is not None)

        return body

    def _raw(self, value: Value | Constant) -> Any:
        """Return what the writer knows a value by."""
        if isinstance(value, Constant):
            return self._constant(value)
        return value.raw if value.node is None else value.node.raws[value.index]

    def _constant(self, constant: Constant) -> Any:
        value, kind = plain(constant.value), constant.kind
        is_like = isinstance(kind, Value)
        like = kind.raw if isinstance(kind, Value) else kind
        # Of a float beside a tensor, the writer looks itself.
        if not (is_like and isinstance(value, float)) and (name := self._name_of(kind)):
            check_fits(value, name)
        is_number = is_like and isinstance(constant.value, IntNumber | FloatNumber)
        return self._writer.constant(value, like=like, is_number=is_number)

    def _name_of(self, kind: Any) -> str | None:
        """Return the name of an element type, where it is known."""
        if not isinstance(kind, Value):
            return str(kind)
        try:
            dtype = self._writer.dtype(kind.raw)
        except NotImplementedError:  # a function body's, of which the node says it
            return None
        return None if dtype is None else element_type(str(dtype).removeprefix("torch."))
