"""ONNX functions: what a rule computes, recorded as the body of a node."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import onnx
from onnx import TensorProto, helper

from .operator import Operator, Rule
from .writer import UNKNOWN_RANK, Writer, check_integer, first

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
    shapes: set[str] = field(default_factory=set)


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
        shapes: their sizes, integers where they are known.
    """

    opset: int
    inputs: Collection[str]
    types: Mapping[str, int]
    shapes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
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

    def sizes(self, tensor: Value) -> tuple[Any, ...]:
        self.looks.shapes.add(tensor.name)
        if tensor.name not in self.shapes:
            raise ValueError(UNKNOWN_RANK)
        return self.shapes[tensor.name]

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        """A number as a tensor of the element type of another one, or of the one named."""
        like = first(like)
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
    shapes: dict[str, tuple[Any, ...] | None]

    def fits(
        self, form: tuple[Any, ...], attributes: Mapping[str, Any], types: Any, shapes: Any
    ) -> bool:
        return (
            form == self.form
            and all(attributes[name] == value for name, value in self.attributes.items())
            and all(types.get(name) == value for name, value in self.types.items())
            and all(shapes.get(name) == value for name, value in self.shapes.items())
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
        names = _input_names(operator, len(node.input))
        node.input.extend([""] * (len(names) - len(node.input)))
        given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        attributes = {
            scalar.name: _value(given.get(scalar.name), scalar.kind == "bool")
            for scalar in operator.scalars
        }
        types, shapes = _Types(model, node, names), _Shapes(model, node, names)
        kinds = tuple(sorted((a.name, a.type) for a in node.attribute))
        form = (tuple(bool(name) for name in node.input), kinds)
        variant = next((v for v in variants if v.fits(form, attributes, types, shapes)), None)
        if variant is None:
            number = len(variants) + 1
            # The library for ONNX Runtime knows the op by these names, too.
            name = operator.op_type if number == 1 else f"{operator.op_type}_variant_{number}"
            recorder = Recorder(opset, names, types, shapes)
            outputs = _record(recorder, operator, node, attributes, rule)
            function = helper.make_function(
                domain,
                name,
                names,
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
                {name: shapes.get(name) for name in recorder.looks.shapes},
            )
            variants.append(variant)
            model.functions.append(function)
        node.op_type = variant.function.name
    if variants:
        model.ir_version = max(model.ir_version, 8)


def _input_names(operator: Operator, count: int) -> list[str]:
    """What the inputs of a body are called, of a node that has so many; those of a list at the end
    one by one.
    """
    names = [tensor.name for tensor in operator.tensors]
    if not operator.takes_list:
        return names
    items = [f"{names[-1]}_{place}" for place in range(count - len(names) + 1)]
    return [*names[:-1], *items]


def _record(
    recorder: Recorder,
    operator: Operator,
    node: onnx.NodeProto,
    attributes: Mapping[str, Any],
    rule: Rule,
) -> list[str]:
    """Records the body; the names of its results."""
    pairs = zip(recorder.inputs, node.input, strict=True)
    values = [Value(name) if given else None for name, given in pairs]
    inputs: dict[str, Any] = dict(zip((t.name for t in operator.tensors), values, strict=False))
    if operator.takes_list:
        inputs[operator.tensors[-1].name] = values[len(operator.tensors) - 1 :]
    marked = {name: _attribute(name, value, recorder.looks) for name, value in attributes.items()}
    results = rule(recorder, **inputs, **marked)
    results = results if isinstance(results, list | tuple) else [results]
    if None in results:
        raise ValueError(
            f"the mapping of {operator} leaves out results, which a node of a domain of its own cannot; "
            'export it with domain=""'
        )
    return [result.name for result in results]


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


class _Known(Mapping[str, Any]):
    """What is known of a node's inputs, by name, worked out once it is asked for."""

    def __init__(self, model: onnx.ModelProto, node: onnx.NodeProto, names: list[str]) -> None:
        self._model, self._pairs = model, list(zip(names, node.input, strict=True))

    @cached_property
    def _values(self) -> dict[str, Any]:
        graph = onnx.shape_inference.infer_shapes(self._model).graph
        found = {info.name: self._of(info) for info in [*graph.input, *graph.value_info]}
        found |= {weight.name: self._of_weight(weight) for weight in graph.initializer}
        return {name: found[given] for name, given in self._pairs if found.get(given) is not None}

    def _of(self, info: onnx.ValueInfoProto) -> Any:
        raise NotImplementedError

    def _of_weight(self, weight: onnx.TensorProto) -> Any:
        raise NotImplementedError

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class _Types(_Known):
    """The element types."""

    def _of(self, info: onnx.ValueInfoProto) -> int | None:
        return info.type.tensor_type.elem_type or None

    def _of_weight(self, weight: onnx.TensorProto) -> int:
        return weight.data_type


class _Shapes(_Known):
    """The sizes, integers where they are known."""

    def _of(self, info: onnx.ValueInfoProto) -> tuple[Any, ...] | None:
        tensor = info.type.tensor_type
        if not tensor.HasField("shape"):
            return None
        dims = tensor.shape.dim
        return tuple(d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in dims)

    def _of_weight(self, weight: onnx.TensorProto) -> tuple[int, ...]:
        return tuple(weight.dims)
