"""ONNX functions: what a rule computes, recorded as the body of a node."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import onnx
from onnx import TensorProto, helper

from .operator import Operator, Rule
from .writer import Writer, check_integer

# The opsets from which on a constant can take its type from another tensor, and its value from an
# attribute.
_FIRST_CASTLIKE, _FIRST_VALUE_FLOAT = 15, 12


@dataclass(frozen=True)
class Value:
    """A tensor in a body."""

    name: str


@dataclass
class Looks:
    """What a rule has looked at, so that the body holds for it alone."""

    attributes: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)


class _Attribute:
    """An attribute's value. The body refers to it; a rule that computes with it, or asks what it
    is, looks at it.
    """

    name: str
    looks: Looks


def _looking(base: type) -> dict[str, Any]:
    """The methods of a number, a string or a list that look at its value."""

    def method(word: str) -> Callable[..., Any]:
        def call(self: Any, *args: Any) -> Any:
            self.looks.attributes.add(self.name)
            return getattr(base, word)(self, *args)

        return call

    methods = {word: method(word) for word in dir(base) if word.strip("_") in _LOOKING}
    return {**methods, "__hash__": base.__hash__}


_LOOKING = frozenset(
    "abs add bool contains eq float floordiv ge getitem gt index int iter le len lt mod mul ne neg "
    "pow radd rfloordiv rmod rmul rpow rsub rtruediv sub truediv".split()
)


_KINDS: dict[type, Any] = {
    base: type(f"_{base.__name__.title()}", (_Attribute, base), _looking(base))
    for base in (float, int, str, list)
}


def _attribute(name: str, value: Any, looks: Looks) -> Any:
    kind = _KINDS.get(type(value))
    if kind is None:  # None and booleans have no such type, so a rule looks at them
        looks.attributes.add(name)
        return value
    marked = kind(value)
    marked.name, marked.looks = name, looks
    return marked


@dataclass
class Recorder(Writer):
    """What a rule writes the nodes of a function's body with.

    Args:
        opset: the opset of the default domain.
        inputs: the names of the inputs, which no other value may have.
        types: the element types of the inputs by name, where they are known.
    """

    opset: int
    inputs: Collection[str]
    types: Mapping[str, int]
    looks: Looks = field(default_factory=Looks)
    nodes: list[onnx.NodeProto] = field(default_factory=list)

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        outputs = [f"{op_type.lower()}_{len(self.nodes)}_{i}" for i in range(_outputs)]
        while any(name in self.inputs for name in outputs):
            outputs = [f"{name}_" for name in outputs]
        names = ["" if value is None else value.name for value in inputs]
        node = helper.make_node(op_type, names, outputs)
        node.attribute.extend(
            _attribute_proto(name, value) for name, value in attributes.items() if value is not None
        )
        self.nodes.append(node)
        values = [Value(name) for name in outputs]
        return values if _outputs > 1 else values[0]

    def constant(self, value: Any, *, like: Value | str, is_number: bool = False) -> Any:
        """A number as a tensor of the element type of another one, or of the one named."""
        if isinstance(like, str):
            return self._tensor(value, TensorProto.DataType.Value(like))
        if is_number and isinstance(value, float):
            self.looks.types.add(like.name)
            kind = self.types.get(like.name, TensorProto.FLOAT)
            if kind not in _FLOATS:
                check_integer(value, TensorProto.DataType.Name(kind), is_number=True)
        if self.opset >= _FIRST_CASTLIKE:
            return self.node("CastLike", self._natural(value), like)
        self.looks.types.add(like.name)
        return self.node("Cast", self._natural(value), to=self.types[like.name])

    def _natural(self, value: Any) -> Any:
        if self.opset < _FIRST_VALUE_FLOAT:
            value = _plain(value)
        if isinstance(value, _KINDS[float]):
            return self.node("Constant", value_float=value)
        if isinstance(value, _KINDS[int]):
            return self.node("Constant", value_int=value)
        plain = value if isinstance(value, list | tuple) else [value]
        kind = TensorProto.DOUBLE if any(isinstance(v, float) for v in plain) else TensorProto.INT64
        return self._tensor(value, kind)

    def _tensor(self, value: Any, kind: int) -> Any:
        items = list(value) if isinstance(value, list | tuple) else [value]
        shape = [len(items)] if isinstance(value, list | tuple) else []
        wanted = float if kind in _FLOATS else int
        tensor = helper.make_tensor("value", kind, shape, [wanted(item) for item in items])
        return self.node("Constant", value=tensor)


_FLOATS = frozenset(
    {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16}
)


def _plain(value: Any) -> Any:
    """The value itself, which the body then holds."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, _Attribute):
        value.looks.attributes.add(value.name)
        return type(value).__mro__[2](value)
    return value


def _attribute_proto(name: str, value: Any) -> onnx.AttributeProto:
    if not isinstance(value, _Attribute):
        return helper.make_attribute(name, _plain(value))
    kind = {float: "FLOAT", int: "INT", str: "STRING"}.get(type(value).__mro__[2])
    if kind is None:
        items: list[Any] = list.copy(value)  # type: ignore[arg-type]
        kind = "FLOATS" if any(isinstance(item, float) for item in items) else "INTS"
    type_ = onnx.AttributeProto.AttributeType.Value(kind)
    return onnx.AttributeProto(name=name, ref_attr_name=value.name, type=type_)


@dataclass(frozen=True)
class _Variant:
    """A function, and the nodes it is the body of."""

    function: onnx.FunctionProto
    form: tuple[Any, ...]
    attributes: dict[str, Any]
    types: dict[str, int | None]

    def fits(self, form: tuple[Any, ...], attributes: Mapping[str, Any], types: Any) -> bool:
        return (
            form == self.form
            and all(attributes[name] == value for name, value in self.attributes.items())
            and all(types.get(name) == value for name, value in self.types.items())
        )


def add_functions(
    model: onnx.ModelProto, operator: Operator, domain: str, rule: Rule, opset: int
) -> None:
    """Gives every node of the operator in the domain its function.

    Nodes share one where the body refers to their attributes. Where it holds for some values
    alone, other nodes get a function, and an op type, of their own. (ONNX's overloads of functions
    would be for that, but ONNX Runtime 1.24 and onnx.reference run the wrong one.)
    """
    variants: list[_Variant] = []
    own = (domain, operator.op_type)
    nodes = [node for part in (model.graph, *model.functions) for node in nodes_of(part)]
    for node in [node for node in nodes if (node.domain, node.op_type) == own]:
        node.input.extend([""] * (len(operator.tensors) - len(node.input)))
        given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        attributes = {
            scalar.name: _value(given.get(scalar.name), scalar.kind == "bool")
            for scalar in operator.scalars
        }
        needs_types = opset < _FIRST_CASTLIKE or any(s.kind == "number" for s in operator.scalars)
        types = _types(model, node, operator) if needs_types else {}
        kinds = tuple(sorted((a.name, a.type) for a in node.attribute))
        form = (tuple(bool(name) for name in node.input), kinds)
        variant = next((v for v in variants if v.fits(form, attributes, types)), None)
        if variant is None:
            number = len(variants) + 1
            # The library for ONNX Runtime knows the op by these names, too.
            name = operator.op_type if number == 1 else f"{operator.op_type}_variant_{number}"
            recorder, outputs = _record(operator, node, attributes, types, rule, opset)
            function = helper.make_function(
                domain,
                name,
                [tensor.name for tensor in operator.tensors],
                outputs,
                recorder.nodes,
                [helper.make_opsetid("", opset)],
                attributes=sorted(given),
            )
            variant = _Variant(
                function,
                form,
                {name: attributes[name] for name in recorder.looks.attributes},
                {name: types.get(name) for name in recorder.looks.types},
            )
            variants.append(variant)
            model.functions.append(function)
        node.op_type = variant.function.name
    if variants:
        model.ir_version = max(model.ir_version, 8)


def _record(
    operator: Operator,
    node: onnx.NodeProto,
    attributes: Mapping[str, Any],
    types: Mapping[str, int],
    rule: Rule,
    opset: int,
) -> tuple[Recorder, list[str]]:
    recorder = Recorder(opset, [tensor.name for tensor in operator.tensors], types)
    inputs = {
        tensor.name: Value(tensor.name) if given else None
        for tensor, given in zip(operator.tensors, node.input, strict=True)
    }
    marked = {name: _attribute(name, value, recorder.looks) for name, value in attributes.items()}
    results = rule(recorder, **inputs, **marked)
    results = results if isinstance(results, list | tuple) else [results]
    return recorder, [result.name for result in results]


def nodes_of(graph: onnx.GraphProto | onnx.FunctionProto) -> list[onnx.NodeProto]:
    """The nodes of a graph, or of a function, and of the graphs within it."""
    found: list[onnx.NodeProto] = []
    for node in graph.node:
        found.append(node)
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                found += nodes_of(inner)
    return found


def _value(value: Any, is_boolean: bool) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [bool(item) for item in value] if is_boolean else list(value)
    return bool(value) if is_boolean and value is not None else value


def _types(model: onnx.ModelProto, node: onnx.NodeProto, operator: Operator) -> dict[str, int]:
    """The element types of the node's inputs, in so far as they are known."""
    graph = onnx.shape_inference.infer_shapes(model).graph
    known = {
        info.name: info.type.tensor_type.elem_type for info in [*graph.input, *graph.value_info]
    }
    known |= {tensor.name: tensor.data_type for tensor in graph.initializer}
    pairs = zip(operator.tensors, node.input, strict=True)
    return {tensor.name: known[given] for tensor, given in pairs if known.get(given)}
