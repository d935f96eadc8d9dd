"""A mapping for a sample → the ONNX model of it, whose nodes are numbered by their places in the text."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, helper

from .definitions import FLOATS
from .numbers import check_fits, plain
from .problems import MappingError, Problem, span_at
from .tracing import Constant, Trace, Written, is_value
from .writing import Function, Writing, traced

_NAMES = {"float32": "FLOAT", "float64": "DOUBLE"}


@dataclass(frozen=True)
class Tensor:
    """A tensor of a sample: its dtype as PyTorch calls it, its sizes, and the names that some have."""

    dtype: str
    sizes: tuple[int, ...]
    names: tuple[str, ...] = ()


@dataclass
class SampleModel:
    """The model of a sample.

    Attributes:
        model: it, whose inputs are called as the arguments.
        results: the names of the results; empty where one is left out.
        values: the results as the mapping has them.
        nodes: what the mapping made, by the numbers of the model's nodes.
        problems: what is wrong with numbers and attributes.
    """

    model: ModelProto
    results: list[str]
    values: list[Any]
    nodes: list[Written]
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class _Known:
    """A value of the model; its type where it is an argument."""

    name: str
    dtype: str = ""
    sizes: tuple[int | str, ...] = ()


def element_type(dtype: str) -> str:
    """Return ONNX's name of one of PyTorch's dtypes."""
    return _NAMES.get(dtype, dtype.upper())


def sample_model(
    to_onnx: Function,
    opset: int,
    sample: Mapping[str, Any],
    *,
    scalars: Mapping[str, str],
    results: int | None,
    is_dynamic: bool = False,
) -> SampleModel:
    """Return the model of a sample: tensors, lists of them, and what is none, by argument.

    Args:
        to_onnx: the mapping.
        opset: the opset of the default domain.
        sample: the arguments.
        scalars: the kinds of those that are no tensors.
        results: how many results the operator has; None: a list.
        is_dynamic: whether sizes with names are dynamic.

    Raises:
        MappingError: the mapping refuses the sample.
    """
    writer = ModelWriter(is_dynamic=is_dynamic)
    arguments = {
        name: writer.argument(name, value, scalars.get(name)) for name, value in sample.items()
    }
    trace, found = traced(to_onnx, opset, writer, arguments, scalars=scalars, results=results)
    building = _Building(trace, writer)
    building.nodes(trace.graph)
    values = found if isinstance(found, list | tuple) else [found]
    names = ["" if value is None else building.raw(value).name for value in values]
    outputs = [helper.make_empty_tensor_value_info(name) for name in names if name]
    graph = helper.make_graph(writer.nodes, "mapping", writer.inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    return SampleModel(model, names, [*values], building.numbered, building.problems)


class ModelWriter:
    """Writes the nodes of a model."""

    def __init__(self, *, is_dynamic: bool = False) -> None:
        self.nodes: list[NodeProto] = []
        self.inputs: list[Any] = []
        self.number = 0  # of the node that is written, in the mapping
        self._is_dynamic, self._made = is_dynamic, 0

    def argument(self, name: str, value: Any, kind: str | None) -> Any:
        """Return an argument of the sample as the writer knows it."""
        if kind is not None or value is None:
            return value
        if isinstance(value, list | tuple):
            return [
                self.argument(f"{name}[{place}]", item, None) for place, item in enumerate(value)
            ]
        names = value.names if self._is_dynamic else ()
        sizes = tuple(
            names[place] if place < len(names) and names[place] else size
            for place, size in enumerate(value.sizes)
        )
        known = _Known(name, value.dtype, sizes)
        number = TensorProto.DataType.Value(element_type(value.dtype))
        self.inputs.append(helper.make_tensor_value_info(name, number, sizes))
        return known

    def node(self, op: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        """Add a node."""
        made = helper.make_node(op, [self._name(each) for each in inputs], self._fresh(_outputs))
        for name, value in attributes.items():
            made.attribute.append(self._attribute(name, value))
        return self._add(made)

    def _attribute(self, name: str, value: Any) -> AttributeProto:
        is_empty = isinstance(value, list) and not value
        kind = AttributeProto.INTS if is_empty else None
        return helper.make_attribute(
            name, list(value) if isinstance(value, tuple) else value, attr_type=kind
        )

    def nesting(
        self,
        op: str,
        inputs: Sequence[Any],
        bodies: Mapping[str, Callable[..., Any]],
        parameters: Sequence[Any],
        outputs: int,
    ) -> Any:
        """Add a node with graphs."""
        number, made = self.number, helper.make_node(op, [self._name(each) for each in inputs], [])
        for name, body in bodies.items():
            made.attribute.append(helper.make_attribute(name, self._graph(name, body, parameters)))
        self.number = number
        made.output.extend(self._fresh(outputs))
        return self._add(made)

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

    def _add(self, node: NodeProto) -> Any:
        node.name = f"n{self.number}"
        self.nodes.append(node)
        found = [_Known(name) for name in node.output]
        return found if len(found) > 1 else found[0]

    def _fresh(self, count: int) -> list[str]:
        self._made += count
        return [f"value {self._made - place}" for place in range(count)]

    def _name(self, value: _Known | None) -> str:
        return "" if value is None else value.name

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> _Known:
        """Add a number of an element type."""
        like = (
            next((each for each in like if each is not None), like)
            if isinstance(like, list)
            else like
        )
        name = like if isinstance(like, str) else element_type(like.dtype)
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


class _Building(Writing):
    """Writes all nodes of a trace, those that lead to nothing included, and notes what is wrong."""

    def __init__(self, trace: Trace, writer: ModelWriter) -> None:
        super().__init__(trace, writer)
        self._model = writer
        self.numbered: list[Written] = []
        self.problems: list[Problem] = []

    def is_kept(self, node: Written) -> bool:
        return True

    def _written(self, node: Written) -> list[Any]:
        self._model.number = len(self.numbered)
        self.numbered.append(node)
        return super()._written(node)

    def _constant(self, constant: Constant) -> Any:
        kind = constant.kind
        name = element_type(kind.raw.dtype) if is_value(kind) else str(kind)  # type: ignore[union-attr]
        try:
            check_fits(plain(constant.value), name)
        except MappingError as problem:
            place = self.numbered[-1].place if self.numbered else None
            told = problem.at(span_at(place)).problems
            self.problems += [replace(p, part=p.part or "op") for p in told]
            constant = Constant(
                [0] * len(constant.value) if isinstance(constant.value, list) else 0, name
            )
        return super()._constant(Constant(constant.value, name))
