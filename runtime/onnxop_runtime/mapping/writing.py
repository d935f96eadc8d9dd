"""A mapping as the exporters and function bodies call it: its nodes, written by a writer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import calls
from .definitions import element_types
from .numbers import FloatNumber, IntNumber, check_fits, natural, number, plain
from .problems import MappingError, error, span_at
from .tracing import Constant, Graph, Input, Trace, Written, is_value, key_of
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
        trace, found = traced(to_onnx, opset, writer, arguments, scalars=scalars, results=results)
        return written(trace, found, writer)

    return write


def traced(
    to_onnx: Function,
    opset: int,
    writer: Any,
    arguments: Mapping[str, Any],
    *,
    scalars: Mapping[str, str],
    results: int | None = None,
) -> tuple[Trace, Any]:
    """Return the nodes of a mapping, and its result, results or list of results, as they stand there."""
    trace = Trace(writer, opset)
    attempts = getattr(to_onnx, "attempts", None)
    if attempts is not None:
        attempts.begin()
    given = [
        argument(trace, value, scalars.get(name)) for name, value in _in_order(to_onnx, arguments)
    ]
    words = {"opset": opset} if takes_opset(to_onnx) else {}
    if attempts := getattr(to_onnx, "attempts", None):  # of a text, whose budget is that of a call
        attempts.begin()
    found = to_onnx(Operators(trace), *given, **words)
    if attempts is not None:
        attempts.finish()
    several = results is not None and results > 1
    if several and is_value(found) and found.node is not None:
        found = tuple(found.node.outputs_of(results))
    values = list(found) if isinstance(found, tuple | list) else [found]
    made = _results(trace, values, may_lack=isinstance(found, tuple))
    trace.graph.results = made
    return trace, tuple(made) if isinstance(found, tuple) else made if isinstance(
        found, list
    ) else made[0]


def takes_opset(to_onnx: Function) -> bool:
    """Return whether a mapping asks for the opset."""
    code = to_onnx.__code__
    return "opset" in code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]


def _in_order(to_onnx: Function, arguments: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Return the arguments in the mapping's order; the first of its parameters is ``op``."""
    code = to_onnx.__code__
    return [(name, arguments[name]) for name in code.co_varnames[1 : code.co_argcount]]


def argument(trace: Trace, value: Any, kind: str | None) -> Any:
    """Return an argument as a mapping is given it."""
    if value is None:
        return None
    if kind is None:
        if isinstance(value, list | tuple):
            return [argument(trace, item, None) for item in value]
        return Value(trace, raw=value, is_argument=True)
    if isinstance(value, tuple):
        return [*value]
    if kind == "number":
        return number(value)
    if kind == "float" and type(value) is int:
        return float(value)
    return value


def _results(trace: Trace, values: Sequence[Any], *, may_lack: bool) -> list[Input]:
    """Return the results, each of a node of its own: no input is an output, nor one value two of them."""
    taken: set[tuple[int, int]] = set()
    found: list[Input] = []
    if may_lack and all(value is None for value in values):
        raise error("every result is left out", "return one at least")
    for value in values:
        if value is None and may_lack:
            found.append(None)
            continue
        calls.check_is_tensor(value, "the result must be a tensor")
        if is_value(value):
            value = trace.copy(value) if value.is_argument or key_of(value) in taken else value
            taken.add(key_of(value))
            found.append(value)
        else:
            found.append(Constant(value, natural(value)))
    return found


def written(trace: Trace, found: Any, writer: Any) -> Any:
    """Write the nodes that lead to the results, and return these as the writer knows them."""
    write = Writing(trace, writer)
    write.nodes(trace.graph)
    if isinstance(found, tuple | list):
        return type(found)(None if value is None else write.raw(value) for value in found)
    return write.raw(found)


class Writing:
    """Writes the nodes of a trace, in order, but for those that lead to no result."""

    def __init__(self, trace: Trace, writer: Any) -> None:
        self._writer = writer
        self._kept: set[int] = set()
        self._keep(trace.graph)

    def _keep(self, graph: Graph) -> None:
        """Note the nodes that lead to a graph's results, those around it included."""
        self._note(graph.results)
        for node in reversed(graph.nodes):
            if id(node) in self._kept:
                self._note(node.inputs)
                for inner in node.graphs.values():
                    self._keep(inner)

    def _note(self, values: Iterable[Input]) -> None:
        self._kept |= {id(value.node) for value in values if is_value(value)}  # type: ignore[union-attr]

    def is_kept(self, node: Written) -> bool:
        """Return whether a node leads to a result."""
        return id(node) in self._kept

    def nodes(self, graph: Graph) -> None:
        """Write the nodes of a graph."""
        for node in graph.nodes:
            if self.is_kept(node):
                try:
                    node.raws = self._written(node)
                except MappingError as problem:
                    raise problem.at(span_at(node.place)) from None

    def _written(self, node: Written) -> list[Any]:
        count = node.count
        inputs = [None if value is None else self.raw(value) for value in node.inputs]
        if node.graphs:
            bodies = {name: self._body(graph) for name, graph in node.graphs.items()}
            parameters = ["INT64", "BOOL", *inputs[2:]] if node.op == "Loop" else []
            found = self._writer.nesting(node.op, inputs, bodies, parameters, count)
        else:
            found = self._writer.node(node.op, *inputs, _outputs=count, **node.attributes)
        return list(found) if count > 1 else [found]

    def _body(self, graph: Graph) -> Callable[..., Any]:
        """Return a graph as the function that the writer calls for its nodes."""

        def body(*raws: Any) -> tuple[Any, ...]:
            for parameter, raw in zip(graph.parameters, raws, strict=True):
                parameter.raw = raw
            self.nodes(graph)
            return tuple(self.raw(value) for value in graph.results if value is not None)

        return body

    def raw(self, value: Value | Constant) -> Any:
        """Return what the writer knows a value by."""
        if isinstance(value, Constant):
            return self._constant(value)
        return value.raw if value.node is None else value.node.raws[value.index]

    def _constant(self, constant: Constant) -> Any:
        value, kind = plain(constant.value), constant.kind
        is_like = is_value(kind)
        like = kind.raw if is_like else kind  # type: ignore[union-attr]
        is_float = isinstance(value, float) and is_like  # which the writer looks at itself
        if (name := self._name_of(kind)) is not None and not is_float:
            check_fits(value, name)
        is_number = is_like and isinstance(constant.value, IntNumber | FloatNumber)
        return self._writer.constant(value, like=like, is_number=is_number)

    def _name_of(self, kind: Any) -> str | None:
        """Return the name of an element type, where it is known."""
        if not is_value(kind):
            return str(kind)
        try:
            dtype = self._writer.dtype(kind.raw)
        except NotImplementedError:  # a function body's, of which the node says it
            return None
        return None if dtype is None else _NAMES.get(str(dtype).removeprefix("torch."))


_NAMES = {"float32": "FLOAT", "float64": "DOUBLE"} | {
    name.lower(): name for name in element_types().values() if name not in ("FLOAT", "DOUBLE")
}
