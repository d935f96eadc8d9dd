"""A writer of ONNX's protobufs: of a sample's model, or of a function's body."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from onnx import AttributeProto, NodeProto, TensorProto, ValueInfoProto, helper

from .definitions import FLOATS, element_types
from .numbers import is_list, items_of
from .writing import Body


@dataclass(frozen=True)
class Tensor:
    """A tensor of a model, or of a body."""

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
        values = [Tensor(name) for name in node.output]
        return values if _outputs > 1 else values[0]

    def _attribute(self, name: str, value: Any) -> AttributeProto:
        if isinstance(value, Body):
            outer, self.nodes = self.nodes, []
            given = self.names(name, len(value.parameters))
            results = value.write(*map(Tensor, given))
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

    def known_sizes(self, tensor: Tensor) -> Sequence[Any] | None:
        """Return the sizes of an argument, integers where they are known; None where its rank is not."""
        return self.shapes.get(tensor.name)

    def kind(self, tensor: Tensor) -> str | None:
        """Return the element type of an argument, None where it is not known."""
        return element_types().get(self.types.get(tensor.name, 0))


def _port(name: str, kind: Any) -> ValueInfoProto:
    """Return an input of a graph; what depends on the types of the arguments is inferred."""
    if not isinstance(kind, str):
        return ValueInfoProto(name=name)
    return helper.make_tensor_value_info(name, TensorProto.DataType.Value(kind), [])
