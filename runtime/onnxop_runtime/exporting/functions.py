"""ONNX functions: what a rule computes, recorded as the body of a node."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx
from onnx import helper

from ..operator.description import Operator, Rule
from .protos import free, nodes_of, rename
from .recorder import COMPUTED, FIRST_CASTLIKE, Recorder, Value, tainted
from .writer import as_written


@dataclass
class _Call:
    """A node of the operator, and what the rule wrote for it."""

    node: onnx.NodeProto
    body: list[onnx.NodeProto]
    outputs: list[str]
    is_served: bool

    @property
    def form(self) -> tuple[Any, ...]:
        """What nodes have in common that can share a function: all but the values of attributes."""
        body = onnx.GraphProto(node=self.body)
        for attribute in _attributes(body.node):
            kept = onnx.AttributeProto(
                name=attribute.name, type=attribute.type, ref_attr_name=attribute.ref_attr_name
            )
            kept.t.data_type, kept.t.dims[:] = attribute.t.data_type, attribute.t.dims
            attribute.CopyFrom(kept)
        attributes = sorted((a.name, a.type) for a in self.node.attribute)
        given = tuple(bool(name) for name in self.node.input)
        nodes = body.SerializeToString(deterministic=True)
        return self.is_served, given, tuple(attributes), nodes, tuple(self.outputs)


def _attributes(body: Iterable[onnx.NodeProto]) -> list[onnx.AttributeProto]:
    """The attributes of a body's nodes, but for the graphs within them."""
    found = (attribute for node in nodes_of(body) for attribute in node.attribute)
    return [attribute for attribute in found if attribute.type != onnx.AttributeProto.GRAPH]


def add_functions(
    model: onnx.ModelProto, operator: Operator, domain: str, rule: Rule, opset: int
) -> None:
    """Gives every node of the operator in the domain its function.

    Nodes share one where it differs in values alone: the body refers to attributes, and what it
    computes with them becomes another attribute of the node. Nodes whose bodies have other nodes get
    a function, and an op type, of their own. (ONNX's overloads of functions would be for that, but
    ONNX Runtime 1.24 and onnx.reference run the wrong one.)
    """
    groups: dict[tuple[Any, ...], list[_Call]] = {}
    for call in _calls(model, operator, domain, rule, opset):
        groups.setdefault(call.form, []).append(call)
    counts = {True: 0, False: 0}
    limit = (
        operator.package.library.variants(operator)
        if operator.is_native and groups
        else len(groups)
    )
    for calls in groups.values():
        first = calls[0]
        is_served = first.is_served and counts[True] < limit
        counts[is_served] += 1
        name = variant(operator, counts[is_served], is_served=is_served)
        _refer(calls, {scalar.name for scalar in operator.scalars})
        function = helper.make_function(
            domain,
            name,
            input_names(operator, len(first.node.input)),
            first.outputs,
            first.body,
            [helper.make_opsetid("", opset)],
            attributes=sorted(attribute.name for attribute in first.node.attribute),
            doc_string=operator.doc,
        )
        model.functions.append(function)
        for call in calls:
            call.node.op_type = name
    wanted = sum(calls[0].is_served for calls in groups.values())
    if wanted > limit:
        warnings.warn(
            f"{operator} has {wanted} functions of different nodes in this model, and its library for "
            f"ONNX Runtime knows {limit}: the nodes of the others will run as functions",
            stacklevel=2,
        )
    if groups:
        model.ir_version = max(model.ir_version, 8)


def variant(operator: Operator, number: int, *, is_served: bool = True) -> str:
    """What the nodes of a function are called. The library knows these names; one that it does not
    know, where it could not compute with the node's dtype, or knows no more of them.
    """
    if not is_served:
        return f"{operator.op_type}_function" + (f"_{number}" if number > 1 else "")
    return operator.op_type if number == 1 else f"{operator.op_type}_variant_{number}"


def is_of(operator: Operator, op_type: str) -> bool:
    """Whether nodes of the operator may be called that."""
    return bool(
        re.fullmatch(re.escape(operator.op_type) + r"(_variant_\d+|_function(_\d+)?)?", op_type)
    )


def _calls(
    model: onnx.ModelProto, operator: Operator, domain: str, rule: Rule, opset: int
) -> Iterator[_Call]:
    parts = (model.graph, *model.functions)
    nodes = [
        node
        for part in parts
        for node in nodes_of(part.node)
        if (node.domain, node.op_type) == (domain, operator.op_type)
    ]
    types = _Types(model) if nodes else None
    for node in nodes:
        assert types is not None
        names = input_names(operator, len(node.input))
        node.input.extend([""] * (len(names) - len(node.input)))
        known, shapes = types.of(node, names)
        recorder = Recorder(opset, names, known, shapes)
        pairs = zip(names, node.input, strict=True)
        values = [Value(name) if given else None for name, given in pairs]
        tensors = operator.tensors
        inputs: dict[str, Any] = dict(zip((t.name for t in tensors), values, strict=False))
        if operator.takes_list:
            inputs[tensors[-1].name] = values[len(tensors) - 1 :]
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        scalars = {
            scalar.name: tainted(
                _value(attributes.get(scalar.name), scalar.kind == "bool"), scalar.name
            )
            for scalar in operator.scalars
        }
        results = rule(recorder, **inputs, **scalars)
        results = results if isinstance(results, list | tuple) else [results]
        results = _made_here(results, recorder)
        is_served = not operator.is_native or operator.package.library.serves(
            operator, _types_by_argument(operator, names, known)
        )
        if opset >= FIRST_CASTLIKE:
            _use_all(recorder, known, [name for name, value in inputs.items() if value is not None])
        outputs = _named([result.name for result in results], operator, recorder)
        yield _Call(node, recorder.nodes, outputs, is_served)


def _types_by_argument(
    operator: Operator, names: Sequence[str], types: Mapping[str, int]
) -> dict[str, set[int]]:
    """The element types of each argument that are known; of a list without tensors there are none."""
    found = {name: {types[name]} for name in names if name in types}
    if operator.takes_list:
        items = names[len(operator.tensors) - 1 :]
        kinds = {types[name] for name in items if name in types}
        if kinds or not items:
            found[operator.tensors[-1].name] = kinds
    return found


def _made_here(results: Sequence[Value], recorder: Recorder) -> list[Value]:
    """The results, each of a node of its own: ONNX Runtime loads no body whose output is its input, as
    after a loop of no rounds.
    """
    taken = {*recorder.inputs}
    found: list[Value] = []
    for result in results:
        found.append(recorder.node("Identity", result) if result.name in taken else result)
        taken.add(result.name)
    return found


def _use_all(recorder: Recorder, types: Mapping[str, int], inputs: list[str]) -> None:
    """Has a body read inputs that it has no use for, where that is a cast to the type that another one
    has: onnxslim takes unread inputs from the function, and leaves them to its nodes.
    """
    read = {name for node in nodes_of(recorder.nodes) for name in node.input}
    for unread in [name for name in inputs if name not in read]:
        twins = (name for name in inputs if name in read and types.get(name) == types.get(unread))
        twin = next(twins, None)
        if twin is None or unread not in types:
            continue
        same = free(f"{twin}_like_{unread}", {*recorder.inputs, *_outputs(recorder)})
        rename(recorder.nodes, {twin: same})
        recorder.nodes.insert(0, helper.make_node("CastLike", [twin, unread], [same]))


def _outputs(recorder: Recorder) -> set[str]:
    """What nodes give, and graphs in them are given."""
    nodes = [*nodes_of(recorder.nodes)]
    ports = [port.name for node in nodes for a in node.attribute for port in a.g.input]
    return {*ports, *(name for node in nodes for name in node.output)}


def _named(outputs: list[str], operator: Operator, recorder: Recorder) -> list[str]:
    """The outputs of a body, once they are called as the operator's results."""
    inner = _outputs(recorder)
    words: dict[str, str] = {}
    for output, name in zip(outputs, operator.results, strict=True):
        if output in inner and output not in words:
            words[output] = free(name, {*inner, *recorder.inputs, *words.values()})
    rename(recorder.nodes, words)
    return [words.get(name, name) for name in outputs]


def input_names(operator: Operator, count: int) -> list[str]:
    """What the inputs of a body are called, of a node that has so many; those of a list at the end
    one by one.
    """
    names = [tensor.name for tensor in operator.tensors]
    if not operator.takes_list:
        return names
    items: list[str] = []
    for place in range(count - len(names) + 1):
        items.append(free(f"{names[-1]}_{place}", {*names, *items}))
    return [*names[:-1], *items]


def _refer(calls: Sequence[_Call], taken: set[str]) -> None:
    """Has the bodies refer to attributes wherever they need: to those that the nodes have, and to new
    ones for what was computed, or differs though nobody knows why.
    """
    for attributes in zip(*(_attributes(call.body) for call in calls), strict=True):
        first = attributes[0]
        name = first.ref_attr_name
        if not name and all(attribute == first for attribute in attributes):
            continue
        if name in ("", COMPUTED):
            name = free(first.name, taken)
            taken.add(name)
            for call, attribute in zip(calls, attributes, strict=True):
                attribute.ClearField("ref_attr_name")
                call.node.attribute.add().CopyFrom(attribute)
                call.node.attribute[-1].name = name
        for attribute in attributes:
            attribute.CopyFrom(
                onnx.AttributeProto(name=attribute.name, ref_attr_name=name, type=attribute.type)
            )


def _value(value: Any, is_boolean: bool) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [bool(item) for item in value] if is_boolean else as_written(value)
    if isinstance(value, float):
        return as_written([value])[0]
    return bool(value) if is_boolean and value is not None else value


class _Types:
    """The element types and the sizes of a model's values, in so far as they are known."""

    def __init__(self, model: onnx.ModelProto) -> None:
        graph = onnx.shape_inference.infer_shapes(model).graph
        infos = [*graph.input, *graph.value_info, *graph.output]
        self._types = {info.name: info.type.tensor_type.elem_type for info in infos}
        self._types |= {tensor.name: tensor.data_type for tensor in graph.initializer}
        self._shapes: dict[str, tuple[Any, ...]] = {
            info.name: tuple(
                size.dim_value if size.HasField("dim_value") else size.dim_param or None
                for size in info.type.tensor_type.shape.dim
            )
            for info in infos
            if info.type.tensor_type.HasField("shape")
        }
        self._shapes |= {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}

    def of(
        self, node: onnx.NodeProto, names: Sequence[str]
    ) -> tuple[dict[str, int], dict[str, tuple[Any, ...]]]:
        """Those of the inputs of a node of the operator, by the names that these have in its body."""
        pairs = [*zip(names, node.input, strict=True)]
        types = {name: self._types[given] for name, given in pairs if self._types.get(given)}
        shapes = {name: self._shapes[given] for name, given in pairs if given in self._shapes}
        for output in node.output[:1]:  # a guess, where the exporter does not say it
            if not self._types.get(output) and types:
                self._types[output] = next(iter(types.values()))
        return types, shapes
