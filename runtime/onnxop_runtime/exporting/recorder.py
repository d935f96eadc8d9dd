"""What a rule writes the body of an ONNX function with: nodes that refer to the attributes of the function's
node, wherever a rule computes with these.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import onnx
import torch
from onnx import TensorProto, helper

from .dtypes import BY_NUMBER
from .writer import UNKNOWN_DTYPE, UNKNOWN_RANK, Body, Writer, check_integer, first, results_of

# The opsets from which on a constant can take its type from another tensor, and its value from an
# attribute.
FIRST_CASTLIKE, _FIRST_VALUE_FLOAT = 15, 12

# ---- What a rule is given ----


@dataclass(frozen=True)
class Value:
    """A tensor in a body."""

    name: str


class _Tainted:
    """The value of an attribute of the node, or what a rule computes with such values: a body refers
    to it, so that one body serves nodes of all values.
    """

    attribute: str  # of the node that it is the value of; "": it is computed


def _computing(base: type) -> dict[str, Any]:
    """The methods of a number or a list that compute with it."""

    def method(word: str) -> Callable[..., Any]:
        def call(self: Any, *args: Any) -> Any:
            return tainted(getattr(base, word)(self, *args))

        return call

    return {word: method(word) for word in dir(base) if word.strip("_") in _COMPUTING}


_COMPUTING = frozenset(
    "abs add floordiv getitem mod mul neg pos pow radd rfloordiv rmod rmul rpow rsub rtruediv sub "
    "truediv".split()
)


_TAINTED: dict[type, Any] = {
    base: type(f"_{base.__name__.title()}", (_Tainted, base), _computing(base))
    for base in (float, int, str, list)
}

_TAINTED[list].__iter__ = lambda self: map(tainted, list.__iter__(self))
_TAINTED[list].__radd__ = lambda self, other: tainted([*other, *self])  # list has none of its own


def tainted(value: Any, attribute: str = "") -> Any:
    kind = _TAINTED.get(type(value))
    if kind is None:  # None, booleans, and what is marked
        return value
    marked = kind(value)
    marked.attribute = attribute
    return marked


def _is_tainted(value: Any) -> bool:
    return isinstance(value, _Tainted) or (
        isinstance(value, list | tuple) and any(isinstance(item, _Tainted) for item in value)
    )


# ---- What it writes ----

COMPUTED = "?"
"""What an attribute of a node in a body refers to that was computed with attributes of the function's."""


@dataclass
class Recorder(Writer):
    """What a rule writes the nodes of a function's body with.

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
        """New names of values, in all the body."""
        names = [f"{word}_{self.made}_{i}" for i in range(count)]
        while any(name in self.inputs for name in names):
            names = [f"{name}_" for name in names]
        self.made += 1
        return names

    def sizes(self, tensor: Value) -> tuple[Any, ...]:
        if tensor.name not in self.shapes:
            raise ValueError(UNKNOWN_RANK)
        return self.shapes[tensor.name]

    def dtype(self, tensor: Value) -> torch.dtype | None:
        return BY_NUMBER.get(self.types.get(tensor.name, 0))

    def is_floating_point(self, tensor: Value) -> bool:
        if tensor.name not in self.types:
            raise ValueError(UNKNOWN_DTYPE)
        return self.types[tensor.name] in _FLOATS

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        """A number as a tensor of the element type of another one, or of the one named."""
        like = first(like)
        if isinstance(like, str):
            return self._tensor(value, TensorProto.DataType.Value(like))
        if is_number and isinstance(value, float):
            kind = self.types.get(like.name, TensorProto.FLOAT)
            if kind not in _FLOATS:
                check_integer(value, TensorProto.DataType.Name(kind), is_number=True)
        if self.opset >= FIRST_CASTLIKE:
            return self.node("CastLike", self._natural(value), like)
        return self.node("Cast", self._natural(value), to=self.types[like.name])

    def _natural(self, value: Any) -> Any:
        if self.opset >= _FIRST_VALUE_FLOAT and isinstance(value, _Tainted) and value.attribute:
            if isinstance(value, float):
                return self.node("Constant", value_float=value)
            if isinstance(value, int):
                return self.node("Constant", value_int=value)
        plain = value if isinstance(value, list | tuple) else [value]
        kind = TensorProto.DOUBLE if any(isinstance(v, float) for v in plain) else TensorProto.INT64
        return self._tensor(value, kind)

    def _tensor(self, value: Any, kind: int) -> Any:
        items = list(value) if isinstance(value, list | tuple) else [value]
        shape = [len(items)] if isinstance(value, list | tuple) else []
        wanted = float if kind in _FLOATS else int
        tensor = helper.make_tensor("value", kind, shape, [wanted(item) for item in items])
        found = self.node("Constant", value=tensor)
        if _is_tainted(value):
            self.nodes[-1].attribute[0].ref_attr_name = COMPUTED
        return found


def _names(values: Sequence[Value | None]) -> list[str]:
    """What the values are called, but for those left out at the end."""
    names = ["" if value is None else value.name for value in values]
    while names and not names[-1]:
        names.pop()
    return names


_FLOATS = frozenset(
    {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16}
)


def _attribute(name: str, value: Any) -> onnx.AttributeProto:
    """An attribute of a node in a body; what refers to one of the function's node has its value, too."""
    is_empty = isinstance(value, list) and not value
    made = helper.make_attribute(name, value, attr_type=_INTS if is_empty else None)
    if _is_tainted(value):
        made.ref_attr_name = getattr(value, "attribute", "") or COMPUTED
    return made


_INTS = onnx.AttributeProto.INTS
