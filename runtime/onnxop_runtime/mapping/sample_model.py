"""A mapping and a sample → the ONNX model of the call, with nodes named after their first
outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from onnx import ModelProto, TensorProto, helper

from .definitions import element_type
from .language import FAILURES, located
from .numbers import check_fits
from .placeholders import Value
from .tracing import Node, Trace
from .writing import NamedTensor, NodeWriter, record_mapping, write_graph


@dataclass(frozen=True)
class Tensor:
    """A tensor of a sample: its dtype in PyTorch's terms, its sizes, and the names of named
    sizes.
    """

    dtype: str
    sizes: tuple[int, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class SampleModel:
    """The model of a sample, with inputs named after the arguments."""

    model: ModelProto
    results: list[str]
    """The names of the results; "" for results left out."""
    values: list[Value | None]
    """The results that the mapping returned."""
    nodes: dict[str, Node]
    """The nodes that the mapping made, by their names in the model."""
    is_sized: bool
    """Whether the mapping read sizes."""


@dataclass(frozen=True)
class Mapped:
    """A mapping, from `language.function`, its lowest opset, and its signature."""

    to_onnx: Any
    opset: int
    scalars: Mapping[str, str]
    """The types of the arguments that are not tensors, by name."""
    results: int | None = 1
    """The number of the operator's results; None for a list."""
    dynamo: bool = True
    """Whether it is also for the dynamo exporter."""

    def model(
        self, opset: int, sample: Mapping[str, Any], *, is_dynamic: bool = False
    ) -> SampleModel:
        """Return the model of a sample, which gives the arguments by name; with ``is_dynamic``, its
        named sizes are dynamic. Raise MappingError if the mapping refuses the sample.
        """
        writer, scalars = ModelWriter(is_dynamic=is_dynamic), self.scalars
        trace = Trace(writer, opset)
        arguments = {
            name: writer.argument(name, v, scalars.get(name)) for name, v in sample.items()
        }
        try:
            record_mapping(self.to_onnx, trace, arguments, scalars, self.results)
            tensors = write_graph(trace.graph, writer)
        except FAILURES as problem:
            raise located(problem, self.to_onnx) from None
        names = ["" if t is None else t.name for t in tensors]
        outputs = [helper.make_empty_tensor_value_info(name) for name in names if name]
        graph = helper.make_graph(writer.nodes, "mapping", writer.inputs, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        nodes = {node.outputs[0].raw.name: node for node in trace.graph.all_nodes()}
        return SampleModel(model, names, trace.graph.results, nodes, trace.reads_sizes)

    def dynamic(self, opset: int, sample: Mapping[str, object], built: SampleModel) -> SampleModel:
        """Return the model with dynamic named sizes, from the static one unless the mapping reads
        sizes.
        """
        if built.is_sized:
            return self.model(opset, sample, is_dynamic=True)
        writer, model = ModelWriter(is_dynamic=True), ModelProto()
        for name, value in sample.items():
            writer.argument(name, value, self.scalars.get(name))
        model.CopyFrom(built.model)
        del model.graph.input[:]
        model.graph.input.extend(writer.inputs)
        return replace(built, model=model)


class ModelWriter(NodeWriter):
    """Writes the nodes of a sample's model."""

    def __init__(self, *, is_dynamic: bool = False) -> None:
        super().__init__({}, {})
        self.inputs: list[Any] = []
        self._is_dynamic, self._count = is_dynamic, 0

    def argument(self, name: str, value: Any, scalar_type: str | None) -> Any:
        """Return an argument of the sample in the writer's form."""
        if scalar_type is not None or value is None:
            return value
        if isinstance(value, list | tuple):
            return [self.argument(f"{name}[{i}]", item, None) for i, item in enumerate(value)]
        sizes = value.sizes
        if self._is_dynamic and value.names:
            sizes = [symbol or size for symbol, size in zip(value.names, sizes, strict=True)]
        number = TensorProto.DataType.Value(element_type(value.dtype))
        self.inputs.append(helper.make_tensor_value_info(name, number, sizes))
        self.types[name], self.shapes[name] = number, sizes
        return NamedTensor(name)

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        outputs = super().node(op_type, *inputs, _outputs=_outputs, **attributes)
        self.nodes[-1].name = self.nodes[-1].output[0]
        return outputs

    def names(self, prefix: str, count: int) -> list[str]:
        self._count += count
        return [f"value {self._count - index}" for index in range(count)]

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        element_type = like if isinstance(like, str) else str(self.element_type(like))
        check_fits(value, element_type)
        return self.tensor(value, element_type)
