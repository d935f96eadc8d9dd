"""ONNX functions: what a mapping computes, as the body of its operator's node."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, zip_longest
from typing import Any

import onnx
from onnx import helper

from ..mapping.writing import NamedTensor
from ..model_nodes import PREFIX, nodes_of
from ..operator.description import Operator, Rule
from .kernels import warn_without
from .recorder import Recorder
from .writer import as_written

EXACT = PREFIX + "float64_"
"""What begins the attribute that holds a float argument as text, where its own one, of float32, rounds it."""


def free(name: str, taken: Collection[str]) -> str:
    """Return the name, or the first with a number behind it that is not taken."""
    numbered = (f"{name}_{number}" for number in count(1))
    return next(word for word in chain([name], numbered) if word not in taken)


@dataclass
class _WrittenNode:
    """A node of the operator, and what the mapping wrote for it."""

    node: onnx.NodeProto
    body: list[onnx.NodeProto]
    outputs: list[str]
    is_served: bool
    types: dict[str, int]

    @property
    def form(self) -> tuple[Any, ...]:
        """What nodes have in common that can share a function: all but the values of attributes."""
        body = onnx.GraphProto(node=self.body)
        for attribute in _attributes(body.node):
            kept = onnx.AttributeProto(name=attribute.name, type=attribute.type)
            kept.t.data_type, kept.t.dims[:] = attribute.t.data_type, attribute.t.dims
            attribute.CopyFrom(kept)
        attributes = sorted((a.name, a.type) for a in self.node.attribute if _is_read(a))
        given = tuple(bool(name) for name in self.node.input)
        nodes = body.SerializeToString(deterministic=True)
        return self.is_served, given, tuple(attributes), nodes, tuple(self.outputs)


def _is_read(attribute: onnx.AttributeProto) -> bool:
    """Whether an attribute of a node may be one of its function's."""
    return not attribute.name.startswith(EXACT)


def _attributes(body: Iterable[onnx.NodeProto]) -> list[onnx.AttributeProto]:
    """Return the attributes of a body's nodes, but for the graphs within them."""
    found = (attribute for node in nodes_of(body) for attribute in node.attribute)
    return [attribute for attribute in found if attribute.type != onnx.AttributeProto.GRAPH]


def add_functions(
    model: onnx.ModelProto,
    operator: Operator,
    domain: str,
    rule: Rule,
    opset: int,
    is_bare: bool = False,
) -> None:
    """Give every node of the operator in the domain its function; where it is to be bare, see that it runs
    without.

    Nodes share one where it differs in values alone: these become further attributes of the nodes, to
    which the body refers. Nodes whose bodies have other nodes get a function, and an op type, of their
    own. (ONNX's overloads of functions would be for that, but ONNX Runtime 1.24 and onnx.reference run
    the wrong one.)
    """
    groups: dict[tuple[Any, ...], list[_WrittenNode]] = {}
    for call in _calls(model, operator, domain, rule, opset):
        if is_bare and not call.is_served:
            raise ValueError(
                f"{operator}: function_bodies=False, but the library does not compute the node of "
                f"{call.node.output[0]}: its kernel is not of the inputs' dtypes"
            )
        groups.setdefault(call.form, []).append(call)
    if is_bare or not groups:
        return
    counts = {True: 0, False: 0}
    made: dict[str, Any] = {}
    limit = operator.package.library.variants(operator) if operator.is_native else len(groups)
    for calls in groups.values():
        first = calls[0]
        is_served = first.is_served and counts[True] < limit
        counts[is_served] += 1
        name = variant(operator, counts[is_served], is_served=is_served)
        _refer(calls, {scalar.name for scalar in operator.scalars})
        function = helper.make_function(
            domain,
            name,
            input_names(operator, len(first.node.input))[: len(first.node.input)],
            first.outputs,
            first.body,
            [helper.make_opsetid("", opset)],
            attributes=sorted(a.name for a in first.node.attribute if _is_read(a)),
            doc_string=operator.doc,
        )
        model.functions.append(function)
        made[name] = function, first.node, first.types
        for call in calls:
            call.node.op_type = name
    wanted = sum(calls[0].is_served for calls in groups.values())
    if wanted > limit:
        warnings.warn(
            f"{operator} has {wanted} functions of different nodes in this model, and its library for "
            f"ONNX Runtime knows {limit}: the nodes of the others will run as functions",
            stacklevel=2,
        )
    warn_without(operator, made)
    model.ir_version = max(model.ir_version, 8)


def variant(operator: Operator, number: int, *, is_served: bool = True) -> str:
    """Return the op type of a function's nodes. The library knows these names, but for ``_function``: of
    nodes whose dtype it cannot compute with, or of more variants than it knows.
    """
    if not is_served:
        return f"{operator.op_type}_function" + (f"_{number}" if number > 1 else "")
    return operator.op_type if number == 1 else f"{operator.op_type}_variant_{number}"


def is_of(operator: Operator, op_type: str) -> bool:
    """Return whether nodes of the operator may be called that."""
    form = re.escape(operator.op_type) + r"(_variant_\d+|_function(_\d+)?)?"
    return re.fullmatch(form, op_type) is not None


def own_nodes(model: onnx.ModelProto, operator: Operator, domain: str) -> Sequence[onnx.NodeProto]:
    """Return the nodes of the operator in the domain, as the exporters named them."""
    parts = (model.graph, *model.functions)
    every = (node for part in parts for node in nodes_of(part.node))
    return [n for n in every if (n.domain, n.op_type) == (domain, operator.op_type)]


def drop_left_out(node: onnx.NodeProto, operator: Operator) -> None:
    """Drop the inputs at the end that a node leaves out, but for items of a list: tools that take what a
    function does not read from its inputs keep them at its nodes, and then nothing loads these.
    """
    has_items = operator.takes_list and len(node.input) >= len(operator.tensors)
    while node.input and not node.input[-1] and not has_items:
        node.input.pop()


def _calls(
    model: onnx.ModelProto, operator: Operator, domain: str, rule: Rule, opset: int
) -> Iterator[_WrittenNode]:
    nodes = own_nodes(model, operator, domain)
    known: Any = _Types(model) if nodes else None
    for node in nodes:
        names = input_names(operator, len(node.input))
        types, shapes = known.of(node, names)
        recorder = Recorder(opset, names, types, shapes)
        pairs = zip_longest(names, node.input)
        values: list[Any] = [NamedTensor(name) if given else None for name, given in pairs]
        arguments = dict(zip((t.name for t in operator.tensors), values, strict=False))
        if operator.takes_list:
            place = len(operator.tensors) - 1
            arguments[operator.tensors[-1].name] = values[place:]
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        for scalar in operator.scalars:
            value = _value(attributes.get(scalar.name), scalar.kind == "bool")
            if exact := attributes.get(EXACT + scalar.name):
                value = [*map(float, exact.split())] if scalar.is_list else float(exact)
            arguments[scalar.name] = value
        found = rule(recorder, **arguments)
        results: list[NamedTensor] = list(found) if isinstance(found, list | tuple) else [found]
        is_served = not operator.is_native or operator.package.library.serves(
            operator, _types_by_argument(operator, names, types)
        )
        yield _WrittenNode(node, recorder.nodes, _outputs(results, recorder), is_served, types)


def _types_by_argument(
    operator: Operator, names: Sequence[str], types: Mapping[str, int]
) -> dict[str, set[int]]:
    """Return the element types of each argument that are known; of a list without tensors there are none."""
    found = {name: {types[name]} for name in names if name in types}
    if operator.takes_list:
        items = names[len(operator.tensors) - 1 :]
        kinds = {types[name] for name in items if name in types}
        if kinds or not items:
            found[operator.tensors[-1].name] = kinds
    return found


def _outputs(results: Sequence[NamedTensor], recorder: Recorder) -> list[str]:
    """Return the names of a body's outputs, each of a node of its own: ONNX Runtime loads no body whose
    output is its input, as after a loop of no rounds.
    """
    found: list[str] = []
    for result in results:
        if result.name in (*recorder.inputs, *found):
            result = recorder.node("Identity", result)
        found.append(result.name)
    return found


def input_names(operator: Operator, count: int) -> list[str]:
    """Return the names of a body's inputs, for a node that has so many; those of a list at the end one
    by one.
    """
    names = [tensor.name for tensor in operator.tensors]
    if not operator.takes_list:
        return names
    items: list[str] = []
    for place in range(count - len(names) + 1):
        items.append(free(f"{names[-1]}_{place}", {*names, *items}))
    return [*names[:-1], *items]


def _refer(calls: Sequence[_WrittenNode], taken: set[str]) -> None:
    """Have the bodies refer to attributes of the nodes for all values that differ between them."""
    for attributes in zip(*(_attributes(call.body) for call in calls), strict=True):
        first = attributes[0]
        if all(attribute == first for attribute in attributes):
            continue
        name = free(PREFIX + first.name, taken)
        taken.add(name)
        for call, attribute in zip(calls, attributes, strict=True):
            call.node.attribute.add().CopyFrom(attribute)
            call.node.attribute[-1].name = name
            attribute.CopyFrom(
                onnx.AttributeProto(name=first.name, ref_attr_name=name, type=first.type)
            )


def _value(value: Any, is_boolean: bool) -> Any:
    """Return an argument as the mapping is given it, from the value of an attribute."""
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
        """Return those of a node's inputs, by the names that these have in its body."""
        pairs = [*zip(names, node.input, strict=False)]
        types = {name: self._types[given] for name, given in pairs if self._types.get(given)}
        shapes = {name: self._shapes[given] for name, given in pairs if given in self._shapes}
        for output in node.output[:1]:  # a guess, where the exporter does not say it
            if not self._types.get(output) and types:
                self._types[output] = next(iter(types.values()))
        return types, shapes
