"""A mapping for a sample → the ONNX model of it, whose nodes are called after their first output."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, helper

from .definitions import FLOATS, element_type
from .language import FAILURES, located
from .numbers import check_fits
from .tracing import Graph, Input, Node
from .writing import Writing, traced


@dataclass(frozen=True)
class Tensor:
    """A tensor of a sample: its dtype as PyTorch calls it, its sizes, and the names that some have."""

    dtype: str
    sizes: tuple[int, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class SampleModel:
    """The model of a sample.

    Attributes:
        model: it, whose inputs are called as the arguments.
        results: the names of the results; empty where one is left out.
        values: the results as the mapping has them.
        nodes: what the mapping made, by the names of the model's nodes.
    """

    model: ModelProto
    results: list[str]
    values: list[Input]
    nodes: dict[str, Node]


@dataclass(frozen=True)
class _Known:
    """A value of the model; its type where it is an argument."""

    name: str
    dtype: str = ""
    sizes: tuple[int | str, ...] = ()


@dataclass(frozen=True)
class Mapped:
    """A mapping and what it is written for.

    Attributes:
        to_onnx: the mapping, as `language.function` makes it.
        opset: its lowest opset.
        scalars: the kinds of the arguments that are no tensors, by name.
        results: how many results the operator has; None: a list.
        dynamo: whether it is for the dynamo exporter, too.
    """

    to_onnx: Any
    opset: int
    scalars: Mapping[str, str]
    results: int | None = 1
    dynamo: bool = True

    def model(
        self, opset: int, sample: Mapping[str, Any], *, is_dynamic: bool = False
    ) -> SampleModel:
        """Return the model of a sample, its tensors, lists of them, and what is none, by argument;
        ``is_dynamic``: its sizes with names are dynamic.

        Raises:
            MappingError: the mapping refuses the sample.
        """
        writer, kinds = ModelWriter(is_dynamic=is_dynamic), self.scalars
        given = {name: writer.argument(name, v, kinds.get(name)) for name, v in sample.items()}
        try:
            trace, _ = traced(self.to_onnx, opset, writer, given, kinds, self.results)
            found = Writing(trace, writer, is_whole=True).results()
        except FAILURES as problem:
            raise located(problem, self.to_onnx) from None
        names = ["" if known is None else known.name for known in found]
        outputs = [helper.make_empty_tensor_value_info(name) for name in names if name]
        graph = helper.make_graph(writer.nodes, "mapping", writer.inputs, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        nodes = {node.raws[0].name: node for node in _nodes(trace.graph)}
        return SampleModel(model, names, trace.graph.results, nodes)


def _nodes(graph: Graph) -> list[Node]:
    inner = [n for node in graph.nodes for each in node.graphs.values() for n in _nodes(each)]
    return [*graph.nodes, *inner]


class ModelWriter:
    """Writes the nodes of a model."""

    def __init__(self, *, is_dynamic: bool = False) -> None:
        self.nodes: list[NodeProto] = []
        self.inputs: list[Any] = []
        self._is_dynamic, self._made = is_dynamic, 0

    def argument(self, name: str, value: Any, kind: str | None) -> Any:
        """Return an argument of the sample as the writer knows it."""
        if kind is not None or value is None:
            return value
        if isinstance(value, list | tuple):
            return [self.argument(f"{name}[{i}]", item, None) for i, item in enumerate(value)]
        names = value.names if self._is_dynamic and value.names else [""] * len(value.sizes)
        sizes = tuple(word or size for word, size in zip(names, value.sizes, strict=True))
        number = TensorProto.DataType.Value(element_type(value.dtype))
        self.inputs.append(helper.make_tensor_value_info(name, number, sizes))
        return _Known(name, value.dtype, sizes)

    def node(self, op: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        """Add a node."""
        made = []
        for name, value in attributes.items():
            value = list(value) if isinstance(value, tuple) else value
            kind = AttributeProto.INTS if value == [] else None
            made.append(helper.make_attribute(name, value, attr_type=kind))
        return self._add(op, inputs, made, self._fresh(_outputs))

    def nesting(
        self,
        op: str,
        inputs: Sequence[Any],
        bodies: Mapping[str, Callable[..., Any]],
        parameters: Sequence[Any],
        outputs: int,
    ) -> Any:
        """Add a node with graphs."""
        graphs = [
            helper.make_attribute(name, self._graph(name, body, parameters))
            for name, body in bodies.items()
        ]
        return self._add(op, inputs, graphs, self._fresh(outputs))

    def _graph(self, name: str, body: Callable[..., Any], parameters: Sequence[Any]) -> GraphProto:
        outer, self.nodes = self.nodes, []
        try:
            given = self._fresh(len(parameters))
            results = [result.name for result in body(*map(_Known, given))]
        finally:
            inner, self.nodes = self.nodes, outer
        ports = [
            helper.make_tensor_value_info(port, TensorProto.DataType.Value(kind), [])
            if isinstance(kind, str)
            else helper.make_empty_tensor_value_info(port)
            for port, kind in zip(given, parameters, strict=True)
        ]
        made = [helper.make_empty_tensor_value_info(result) for result in results]
        return helper.make_graph(inner, name, ports, made)

    def _add(
        self,
        op: str,
        inputs: Sequence[_Known | None],
        attributes: Sequence[AttributeProto],
        outputs: list[str],
    ) -> Any:
        names = ["" if each is None else each.name for each in inputs]
        node = helper.make_node(op, names, outputs, name=outputs[0])
        node.attribute.extend(attributes)
        self.nodes.append(node)
        found = [_Known(name) for name in outputs]
        return found if len(found) > 1 else found[0]

    def _fresh(self, count: int) -> list[str]:
        self._made += count
        return [f"value {self._made - place}" for place in range(count)]

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> _Known:
        """Add a number of an element type. Raises MappingError where it does not fit."""
        name = like if isinstance(like, str) else element_type(like.dtype)
        check_fits(value, name)
        items = list(value) if isinstance(value, list | tuple) else [value]
        shape = [len(items)] if isinstance(value, list | tuple) else []
        with warnings.catch_warnings(action="ignore"):  # a large float is infinite
            tensor = helper.make_tensor("", TensorProto.DataType.Value(name), shape, items)
        found: _Known = self.node("Constant", value=tensor)
        return found

    def rank(self, tensor: _Known) -> int:
        """Return the number of an argument's dimensions."""
        return len(tensor.sizes)

    def size(self, tensor: _Known, dimension: int) -> int:
        """Return a size of an argument. Raises ValueError where it is dynamic, or there is none."""
        if self.is_open(tensor, dimension):
            raise ValueError(f"the size of dimension {dimension} of {tensor.name} is dynamic")
        return int(tensor.sizes[dimension])

    def is_open(self, tensor: _Known, dimension: int) -> bool:
        """Return whether a dimension of an argument is dynamic."""
        count = len(tensor.sizes)
        if not -count <= dimension < count:
            raise ValueError(f"{tensor.name} has {count} dimension{'' if count == 1 else 's'}")
        return isinstance(tensor.sizes[dimension], str)

    def is_floating_point(self, tensor: _Known) -> bool:
        """Return whether an argument is of floats."""
        return element_type(tensor.dtype) in FLOATS

    def dtype(self, tensor: _Known) -> str:
        """Return the dtype of an argument, as PyTorch calls it."""
        return tensor.dtype
