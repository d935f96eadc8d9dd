"""A mapping and a sample → the ONNX model of that sample, its nodes numbered by their places."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import shown
from ..mapping import attributes, evaluate, onnxdefs
from ..mapping.evaluate import CannotTell, NoValue
from ..mapping.graph import (
    Body,
    Branch,
    Choice,
    Constant,
    Each,
    Graph,
    Item,
    Let,
    Listed,
    Node,
    Omitted,
    Repeat,
    Set,
    Spread,
    Statement,
    Tensor,
    Tensors,
    Value,
    nodes_of,
)
from ..schema.signature import OpSchema
from .tensors import Literal, RandomTensor, SampleValue, TensorList

_MAX_NODES = 10_000
_TYPES = {"float32": "FLOAT", "float64": "DOUBLE"}
_FLOATS = ("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16")

Sample = Mapping[str, SampleValue]


def model_of(graph: Graph, schema: OpSchema, opset: int, sample: Sample) -> Any:
    """The mapping of a sample as a model, whose inputs are called as the arguments.

    Raises:
        CannotTell: it depends on more than the sample says.
    """
    from onnx import shape_inference

    return shape_inference.infer_shapes(SampleModel(graph, schema, opset, sample).model())


def name_of_item(name: str, place: int) -> str:
    """What an item of a list of tensors is called in the model; no argument can be called so."""
    return f"{name}[{place}]"


def number_of(dtype: str) -> int:
    """ONNX's number of one of PyTorch's dtypes."""
    return _number(_TYPES.get(dtype, dtype.upper()))


class SampleModel:
    """The nodes that the mapping has for one sample, as a model."""

    def __init__(self, graph: Graph, schema: OpSchema, opset: int, sample: Sample) -> None:
        from onnx import helper

        self._graph, self._opset, self._helper = graph, opset, helper
        self._places = {id(node): i for i, node in enumerate(nodes_of(graph.statements))}
        self._names: dict[str, Any] = {}
        self._types: dict[str, str] = {}  # of tensors that are given
        self._inputs: list[Any] = []
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._chosen: dict[str, str] = {}
        self._shapes: dict[str, list[int]] = {}
        self._round = ""  # of a comprehension
        self._rounds = self._count = 0
        self._at = 0  # the node that is made
        self.refused: list[tuple[int, str]] = []
        self.results: list[str] = []  # by their names; empty where one is left out
        self._names["op"] = self
        for argument in schema.free:
            given = sample.get(argument.name)
            if isinstance(given, TensorList):
                words = [name_of_item(argument.name, place) for place in range(len(given.items))]
                for word, item in zip(words, given.items, strict=True):
                    self._add_input(word, item)
                self._names[argument.name] = words
                first = next(
                    (w for w, item in zip(words, given.items, strict=True) if item.dtype), ""
                )
                self._types[argument.name] = self._types.get(first, "")
            elif given is not None and given.dtype:
                self._add_input(argument.name, given)
            elif isinstance(given, Literal) and given.expression.startswith("torch."):
                dtype = given.expression.removeprefix("torch.")
                self._names[argument.name] = number_of(dtype)
            elif given is not None:
                self._names[argument.name] = evaluate.text(getattr(given, "expression", "None"))
            elif argument.has_default:
                default = argument.default
                is_tuple = isinstance(default, tuple)
                self._names[argument.name] = [*default] if is_tuple else default  # type: ignore[misc]

    def _add_input(self, name: str, given: RandomTensor | Literal) -> None:
        if not given.dtype:
            self._names[name] = None
            return
        kind = _TYPES.get(given.dtype, given.dtype.upper())
        self._types[name], self._names[name] = kind, ...
        self._shapes[name] = list(given.shape)
        info = self._helper.make_tensor_value_info(name, _number(kind), self._shapes[name])
        self._inputs.append(info)

    # What a mapping asks of its arguments, as `evaluate` calls it.

    def rank(self, name: str) -> int:
        return len(self.shape(name))

    def shape(self, name: str) -> list[int]:
        return self._shapes[self._chosen.get(name, name)]

    def size(self, name: str, dimension: int) -> int:
        shape = self.shape(name)
        if not -len(shape) <= dimension < len(shape):
            raise IndexError(f"{name} has {len(shape)} dimension{'' if len(shape) == 1 else 's'}")
        return shape[dimension]

    def is_open(self, name: str, dimension: int) -> bool:
        self.size(name, dimension)
        return False

    def is_floating_point(self, name: str) -> bool:
        return self._types[self._chosen.get(name, name)] in _FLOATS

    def model(self) -> Any:
        helper = self._helper
        self._add(self._graph.statements)
        self.results = [word for result in self._graph.results for word in self._tensors(result)]
        outputs = [helper.make_empty_tensor_value_info(name) for name in self.results if name]
        graph = helper.make_graph(self._nodes, "mapping", self._inputs, outputs, self._constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self._opset)])

    def _add(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            match statement:
                case Branch(outputs=outputs):
                    holds = evaluate.text(statement.condition, self._names)
                    self._add(statement.then if holds else statement.otherwise)
                    results = statement.then_results if holds else statement.otherwise_results
                    for output, result in zip(outputs, results, strict=True):
                        if isinstance(result, Tensors):
                            self._names[output] = self._tensors(result)
                        else:
                            self._chosen[output] = self._tensor(result)
                case Each():
                    self._add_each(statement)
                case Repeat():
                    self._add_repeat(statement)
                case Let(output=output, expression=expression):
                    self._names[output] = evaluate.text(expression, self._names)
                case Set(outputs=outputs, values=values):
                    self._set(outputs, values)
                case Listed(values=values, output=output):
                    self._names[output] = [word for each in values for word in self._tensors(each)]
                case Item(tensors=tensors, index=index, output=output):
                    found = evaluate.text(f"{tensors}[{index}]", self._names)
                    if isinstance(found, list):
                        self._names[output] = found
                    else:
                        self._bind(output, found)
                case Node():
                    self._nodes.append(self._node(statement))

    def _add_each(self, each: Each) -> None:
        made: list[str] = []
        for _ in self._rounds_of(each):
            self._add(each.statements)
            made += self._tensors(each.result)
        self._names[each.output] = made

    def _add_repeat(self, repeat: Repeat) -> None:
        for _ in self._rounds_of(repeat):
            self._add(repeat.statements)

    def _rounds_of(self, loop: Each | Repeat) -> Iterator[None]:
        """Gives the loop's variables their values, round by round."""
        outer = self._round
        for place, item in enumerate(evaluate.text(f"list({loop.items})", self._names)):
            self._rounds += 1
            if self._rounds > _MAX_NODES:
                raise NoValue("", f"its loops have more than {_MAX_NODES} rounds")
            self._round = f"{outer}#{place}"
            values = [item] if len(loop.variables) == 1 else item
            for name, value in zip(loop.variables, values, strict=True):
                self._bind(name, value)
            yield
        self._round = outer

    def _set(self, outputs: Sequence[str], values: Sequence[Value]) -> None:
        found = [self._tensors(v) if isinstance(v, Tensors) else self._tensor(v) for v in values]
        for output, value in zip(outputs, found, strict=True):
            if isinstance(value, list):
                self._names[output] = value
            else:
                self._chosen[output] = value

    def _bind(self, name: str, value: Any) -> None:
        """Gives a name to a number, or to a tensor, which is known by its own."""
        self._names[name] = value
        if isinstance(value, str):
            self._chosen[name], self._names[name] = value, self._names.get(value, ...)
            if value in self._types:
                self._types[name] = self._types[value]

    def _tensors(self, value: Value) -> list[str]:
        """What the tensors of a list are called; of one tensor, that one."""
        match value:
            case Spread(tensors=Tensors(name=name)) | Tensors(name=name):
                words: list[str] = self._names[name]
                return ["" if self._names.get(word, ...) is None else word for word in words]
            case _:
                return [self._tensor(value)]

    def _node(self, node: Node) -> Any:
        from onnx import AttributeProto

        self._at = place = self._places[id(node)]
        self._count += 1
        if self._count > _MAX_NODES:
            raise NoValue("", f"it has more than {_MAX_NODES} nodes")
        inputs = [word for value in node.inputs for word in self._tensors(value)]
        outputs = [f"{output}{self._round}" for output in node.outputs]
        self._chosen.update(zip(node.outputs, outputs, strict=True))
        made = self._helper.make_node(node.op, inputs, outputs, name=f"n{place}")
        made.attribute.extend(self._graph_of(body) for body in node.bodies)
        definition = onnxdefs.definition(node.op, self._opset)
        for attribute in node.attributes:
            value = evaluate.text(attribute.expression, self._names)
            field = definition.attributes[attribute.name] if definition else None
            why = (
                attributes.problem_with(definition, field, value) if definition and field else None
            )
            if why := why or _problem_with_outputs(node, attribute.name, value):
                self.refused.append((place, why))
                continue
            kind = getattr(AttributeProto, attribute.kind)
            made.attribute.append(
                self._helper.make_attribute(attribute.name, value, attr_type=kind)
            )
        return made

    def _graph_of(self, body: Body) -> Any:
        """A graph within a node, as its attribute."""
        outer, self._nodes = self._nodes, []
        inputs = [f"{name}{self._round}" for name in body.inputs]
        self._chosen.update(zip(body.inputs, inputs, strict=True))
        try:
            self._add(body.statements)
            results = [self._tensor(result) for result in body.results]
        finally:
            inner, self._nodes = self._nodes, outer
        given, made = (
            [self._helper.make_empty_tensor_value_info(name) for name in names]
            for names in (inputs, results)
        )
        graph = self._helper.make_graph(inner, body.name, given, made)
        return self._helper.make_attribute(body.attribute, graph)

    def _tensor(self, value: Value) -> str:
        """What the tensor is called in the model; empty where it is left out."""
        match value:
            case Omitted():
                return ""
            case Constant():
                return self._constant(value)
            case Spread() | Tensors():
                raise TypeError(value)
            case Choice(condition=condition, then=then, otherwise=otherwise):
                holds = evaluate.text(condition, self._names)
                return self._tensor(then if holds else otherwise)
            case Tensor():
                is_left_out = value.name in self._names and self._names[value.name] is None
                return "" if is_left_out else self._chosen.get(value.name, value.name)

    def _constant(self, constant: Constant) -> str:
        kind = constant.type or constant.natural
        if kind.like and not self._types.get(kind.like):
            raise CannotTell
        name = f"constant {len(self._constants)}"
        value = evaluate.text(constant.expression, self._names)
        items = value if isinstance(value, list) else [value]
        shape = [len(value)] if isinstance(value, list) else []
        word = self._types[kind.like] if kind.like else kind.fixed
        for item in items:
            if why := _problem_with_constant(item, word):
                self.refused.append((self._at, f"the number {why}"))
                items = [0] * len(items)
                break
        try:
            with warnings.catch_warnings(action="ignore"):  # a large float is infinite
                tensor = self._helper.make_tensor(name, _number(word), shape, items)
        except (ValueError, TypeError, OverflowError):
            raise CannotTell from None
        self._constants.append(tensor)
        return name


def _problem_with_constant(item: Any, kind: str) -> str | None:
    """Why no tensor of the element type holds the number, which would be another one there."""
    if not isinstance(item, int | float):
        return None
    if kind == "BOOL" and item not in (0, 1):
        return (
            f"{item!r} stands beside BOOL, which holds 0 and 1; write op.Cast(x, to=1) for a float"
        )
    bits = re.fullmatch("(U?)INT([0-9]+)", kind)
    if bits is None:
        return None
    if isinstance(item, float) and not item.is_integer():
        return (
            f"{item!r} stands beside {kind}, and would be cut; write op.Cast(x, to=1) for a float"
        )
    low, high = (
        (0, 2 ** int(bits[2])) if bits[1] else (-(2 ** (int(bits[2]) - 1)), 2 ** (int(bits[2]) - 1))
    )
    if not low <= item < high:
        return f"{shown(item, 30)} stands beside {kind}, which cannot hold it; write op.Cast(x, to=7), say"
    return None


def _problem_with_outputs(node: Node, name: str, value: Any) -> str | None:
    """Why the attribute cannot be this of a node with so many outputs. ONNX's inference does not
    say so of Split: it ends the process.
    """
    count = len(node.outputs)
    if node.op != "Split" or name != "num_outputs" or value == count:
        return None
    return f"attribute num_outputs of op.Split is {value}, but it has {count}; write {count}"


def _number(kind: str) -> int:
    from onnx import TensorProto

    try:
        return int(TensorProto.DataType.Value(kind))
    except ValueError:
        raise CannotTell from None
