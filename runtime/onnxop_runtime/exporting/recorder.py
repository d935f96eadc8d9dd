"""What a mapping writes the body of an ONNX function with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import onnx
import torch
from onnx import TensorProto, helper

from .writer import BY_NUMBER, Body, Writer, check_integer, first, results_of

_FIRST_CASTLIKE = 15
"""The opset from which on a constant can take its type from another tensor."""


@dataclass(frozen=True)
class Value:
    """A tensor in a body."""

    name: str


@dataclass
class Recorder(Writer):
    """Records the nodes of a function's body.

    Args:
        opset: the opset of the default domain.
        inputs: the names of the inputs, which no other value may have.
        types: the element types of the inputs by name, where they are known.
        shapes: their sizes, integers where they are known.
    """

    opset: int
    inputs: Collection[str]
    types: Mapping[str, int]
    shapes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    made: int = 0  # nodes, and graphs in them

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        given = [_attribute(*pair) for pair in attributes.items() if pair[1] is not None]
        return self._add(op_type, inputs, given, _outputs)

    def nesting(
        self,
        op_type: str,
        inputs: Sequence[Any],
        bodies: Mapping[str, Body],
        parameters: Sequence[Any],
        outputs: int,
    ) -> Any:
        graphs = []
        for attribute, body in bodies.items():
            given = self._fresh(attribute, len(parameters))
            outer, self.nodes = self.nodes, []
            try:
                results = _names(results_of(body, *map(Value, given)))
            finally:
                inner, self.nodes = self.nodes, outer
            # The types of its ports depend on those of the function's: they are inferred.
            ports = [
                helper.make_tensor_value_info(name, TensorProto.DataType.Value(kind), [])
                if isinstance(kind, str)
                else onnx.ValueInfoProto(name=name)
                for name, kind in zip(given, parameters, strict=True)
            ]
            ends = [onnx.ValueInfoProto(name=name) for name in results]
            graph = helper.make_graph(inner, attribute, ports, ends)
            graphs.append(helper.make_attribute(attribute, graph))
        return self._add(op_type, inputs, graphs, outputs)

    def _add(
        self,
        op_type: str,
        inputs: Sequence[Any],
        attributes: Iterable[onnx.AttributeProto],
        count: int,
    ) -> Any:
        outputs = self._fresh(op_type.lower(), count)
        node = helper.make_node(op_type, _names(inputs), outputs)
        node.attribute.extend(attributes)
        self.nodes.append(node)
        values = [Value(name) for name in outputs]
        return values if count > 1 else values[0]

    def _fresh(self, word: str, count: int) -> list[str]:
        """Return new names of values."""
        names = [f"{word}_{self.made}_{i}" for i in range(count)]
        while any(name in self.inputs for name in names):
            names = [f"{name}_" for name in names]
        self.made += 1
        return names

    def known_sizes(self, tensor: Value) -> tuple[Any, ...] | None:
        return self.shapes.get(tensor.name)

    def dtype(self, tensor: Value) -> torch.dtype | None:
        return BY_NUMBER.get(self.types.get(tensor.name, 0))

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        like = first(like)
        if isinstance(like, str):
            return self._tensor(value, TensorProto.DataType.Value(like))
        if is_number and isinstance(value, float):
            dtype = self.dtype(like)
            if dtype is not None and not dtype.is_floating_point:
                check_integer(value, str(dtype), is_number=True)
        is_float = isinstance(value, float) or (
            isinstance(value, list | tuple) and any(isinstance(item, float) for item in value)
        )
        number = self._tensor(value, TensorProto.DOUBLE if is_float else TensorProto.INT64)
        if self.opset >= _FIRST_CASTLIKE:
            return self.node("CastLike", number, like)
        return self.node("Cast", number, to=self.types[like.name])

    def _tensor(self, value: Any, kind: int) -> Any:
        items = list(value) if isinstance(value, list | tuple) else [value]
        shape = [len(items)] if isinstance(value, list | tuple) else []
        wanted = float if BY_NUMBER[kind].is_floating_point else int
        tensor = helper.make_tensor("value", kind, shape, [wanted(item) for item in items])
        return self.node("Constant", value=tensor)


def _names(values: Sequence[Value | None]) -> list[str]:
    """Return the names of values, but for those left out at the end."""
    names = ["" if value is None else value.name for value in values]
    while names and not names[-1]:
        names.pop()
    return names


def _attribute(name: str, value: Any) -> onnx.AttributeProto:
    is_empty = isinstance(value, list) and not value
    kind = onnx.AttributeProto.INTS if is_empty else None
    return helper.make_attribute(name, value, attr_type=kind)
