"""ONNX functions: the nodes of a mapping as the function body of the operator's node."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, zip_longest
from typing import Any

import onnx
from onnx import helper

from ...mapping.writing import NamedTensor
from ...model_nodes import PREFIX, nodes_of
from ...operator.export_context import ExportContext
from ...operator.model import Operator, Rule
from ..rules.size_symbols import is_symbol
from ..rules.writer import as_written
from .body_writer import Recorder
from .missing_kernels import warn_without

EXACT = PREFIX + "float64_"
"""The prefix of attributes that hold a float argument as text, if float32, ONNX's type of floats, rounds it."""


def free(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number appended if it is taken."""
    numbered = (f"{name}_{number}" for number in count(1))
    return next(n for n in chain([name], numbered) if n not in taken)


@dataclass
class _WrittenNode:
    """A node of the operator, and the nodes that the mapping writes for it."""

    node: onnx.NodeProto
    body: list[onnx.NodeProto]
    outputs: list[str]
    is_served: bool
    types: dict[str, int]

    @property
    def form(self) -> tuple[Any, ...]:
        """A key that nodes share if they can share a function: everything except the values of attributes."""
        body = onnx.GraphProto(node=self.body)
        for attribute in _attributes(body.node):
            kept = onnx.AttributeProto(name=attribute.name, type=attribute.type)
            kept.t.data_type, kept.t.dims[:] = attribute.t.data_type, attribute.t.dims
            attribute.CopyFrom(kept)
        attributes = sorted((a.name, a.type) for a in self.node.attribute if _is_read(a))
        present = tuple(bool(name) for name in self.node.input)
        nodes = body.SerializeToString(deterministic=True)
        return self.is_served, present, tuple(attributes), nodes, tuple(self.outputs)


def _is_read(attribute: onnx.AttributeProto) -> bool:
    """Return whether the function of a node may take this attribute."""
    return not attribute.name.startswith(EXACT)


def _attributes(body: Iterable[onnx.NodeProto]) -> list[onnx.AttributeProto]:
    """Return the attributes of a body's nodes and of nodes in subgraphs, except the subgraphs."""
    attributes = (attribute for node in nodes_of(body) for attribute in node.attribute)
    return [attribute for attribute in attributes if attribute.type != onnx.AttributeProto.GRAPH]


def add_functions(
    model: onnx.ModelProto,
    operator: Operator,
    domain: str,
    rule: Rule,
    opset: int,
    context: ExportContext,
) -> None:
    """Add a function body for every node of the operator in the domain. If the export has no function bodies,
    only check that the library computes each node.

    Nodes share a function if their bodies differ in attribute values only. These values become attributes
    of the nodes, to which the body refers. Nodes with other bodies get a function and an op type of their
    own, not an ONNX overload: ONNX Runtime 1.24 and onnx.reference run the wrong overload.
    """
    groups: dict[tuple[Any, ...], list[_WrittenNode]] = {}
    is_bare = not context.function_bodies
    for call in _calls(model, operator, domain, rule, opset, context):
        if is_bare and not call.is_served:
            raise ValueError(
                f"{operator}: function_bodies=False, but the library's kernel does not support the "
                f"input dtypes of the node of {call.node.output[0]}; export it with function bodies"
            )
        groups.setdefault(call.form, []).append(call)
    if is_bare or not groups:
        return
    counts = {True: 0, False: 0}
    functions: dict[str, Any] = {}
    limit = operator.package.library.variants(str(operator)) if operator.is_native else len(groups)
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
        functions[name] = function, first.node, first.types
        for call in calls:
            call.node.op_type = name
    needed = sum(calls[0].is_served for calls in groups.values())
    if needed > limit:
        warnings.warn(
            f"{operator} has {needed} different functions in this model, but its library for ONNX Runtime "
            f"serves {limit}; the nodes of the others run as function bodies",
            stacklevel=2,
        )
    warn_without(operator, functions)
    model.ir_version = max(model.ir_version, 8)


def variant(operator: Operator, number: int, *, is_served: bool = True) -> str:
    """Return the op type of a function's nodes. The library computes nodes of these types, except those with
    ``_function``: for unsupported dtypes, and for variants beyond its limit.
    """
    if not is_served:
        return f"{operator.op_type}_function" + (f"_{number}" if number > 1 else "")
    return operator.op_type if number == 1 else f"{operator.op_type}_variant_{number}"


def is_of(operator: Operator, op_type: str) -> bool:
    """Return whether this may be the op type of the operator's nodes."""
    form = re.escape(operator.op_type) + r"(_variant_\d+|_function(_\d+)?)?"
    return re.fullmatch(form, op_type) is not None


def _calls(
    model: onnx.ModelProto,
    operator: Operator,
    domain: str,
    rule: Rule,
    opset: int,
    context: ExportContext,
) -> Iterator[_WrittenNode]:
    parts = (model.graph, *model.functions)
    every = (node for part in parts for node in nodes_of(part.node))
    nodes = [n for n in every if (n.domain, n.op_type) == (domain, operator.op_type)]
    known: Any = _Types(model, is_dynamo=context.dynamo) if nodes else None
    call_sizes = context.call_sizes
    if call_sizes is not None and not call_sizes.is_complete(operator, len(nodes)):
        call_sizes = None
    for position, node in enumerate(nodes):
        names = input_names(operator, len(node.input))
        types, shapes = known.of(node, names)
        if call_sizes is not None:
            shapes |= _by_input(call_sizes.at(operator, position), names, node)
        recorder = Recorder(opset, names, types, shapes, is_dynamo=context.dynamo)
        pairs = zip_longest(names, node.input)
        values: list[Any] = [NamedTensor(name) if value else None for name, value in pairs]
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
        try:
            result = rule(recorder, **arguments)
        except ValueError as error:
            raise ValueError(f"{operator}: {error}") from error.__cause__
        results: list[NamedTensor] = [*result] if isinstance(result, list | tuple) else [result]
        is_served = not operator.is_native or operator.package.library.serves(
            str(operator), _types_by_argument(operator, names, types)
        )
        yield _WrittenNode(node, recorder.nodes, _outputs(results, recorder), is_served, types)


def _by_input(
    sizes: Sequence[Sequence[Any]], names: Sequence[str], node: onnx.NodeProto
) -> dict[str, Sequence[Any]]:
    """Return the sizes of a call's tensors by the names of the body's inputs; none if their numbers differ."""
    present = [name for name, value in zip(names, node.input, strict=False) if value]
    return dict(zip(present, sizes, strict=True)) if len(sizes) == len(present) else {}


def _types_by_argument(
    operator: Operator, names: Sequence[str], types: Mapping[str, int]
) -> dict[str, set[int]]:
    """Return the known element types of each argument; an empty list of tensors has an empty set."""
    types_by_name = {name: {types[name]} for name in names if name in types}
    if operator.takes_list:
        items = names[len(operator.tensors) - 1 :]
        item_types = {types[name] for name in items if name in types}
        if item_types or not items:
            types_by_name[operator.tensors[-1].name] = item_types
    return types_by_name


def _outputs(results: Sequence[NamedTensor], recorder: Recorder) -> list[str]:
    """Return the names of a body's outputs. An Identity copies inputs and duplicates: ONNX Runtime does not
    load a body whose output is its input, as after a loop without iterations.
    """
    names: list[str] = []
    for result in results:
        if result.name in (*recorder.inputs, *names):
            result = recorder.node("Identity", result)
        names.append(result.name)
    return names


def input_names(operator: Operator, count: int) -> list[str]:
    """Return a body's inputs for a node with ``count`` inputs; a list's items are numbered."""
    names = [tensor.name for tensor in operator.tensors]
    if not operator.takes_list:
        return names
    items: list[str] = []
    for place in range(count - len(names) + 1):
        items.append(free(f"{names[-1]}_{place}", {*names, *items}))
    return [*names[:-1], *items]


def _refer(calls: Sequence[_WrittenNode], taken: set[str]) -> None:
    """Replace attribute values that differ between bodies by references to new attributes of the nodes."""
    for attributes in zip(*(_attributes(call.body) for call in calls), strict=True):
        first = attributes[0]
        if all(attribute == first for attribute in attributes):
            continue
        name = free(PREFIX + first.name, taken)
        taken.add(name)
        for call, attribute in zip(calls, attributes, strict=True):
            call.node.attribute.add().CopyFrom(attribute)
            call.node.attribute[-1].name = name
            reference = onnx.AttributeProto(name=first.name, ref_attr_name=name, type=first.type)
            attribute.CopyFrom(reference)


def _value(value: Any, is_boolean: bool) -> Any:
    """Return an argument for the mapping from the value of an attribute."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [bool(item) for item in value] if is_boolean else as_written(value)
    if isinstance(value, float):
        return as_written([value])[0]
    return bool(value) if is_boolean and value is not None else value


class _Types:
    """The known element types and sizes of a model's values. The TorchScript exporter has names for sizes that
    it does not know, so that only those of inputs are names of dynamic ones.
    """

    def __init__(self, model: onnx.ModelProto, *, is_dynamo: bool) -> None:
        graph = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
        infos = [*graph.input, *graph.value_info, *graph.output]
        self._types = {info.name: info.type.tensor_type.elem_type for info in infos}
        self._types |= {tensor.name: tensor.data_type for tensor in graph.initializer}
        self._shapes: dict[str, tuple[Any, ...]] = {}
        inputs = {port.name for port in graph.input}
        for info in infos:
            if not info.type.tensor_type.HasField("shape"):
                continue
            has_symbols = is_dynamo or info.name in inputs
            dims = info.type.tensor_type.shape.dim
            self._shapes[info.name] = tuple(_size(dim, has_symbols) for dim in dims)
        self._shapes |= {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}

    def of(
        self, node: onnx.NodeProto, names: Sequence[str]
    ) -> tuple[dict[str, int], dict[str, tuple[Any, ...]]]:
        """Return the types and sizes of a node's inputs, by the names of the function's inputs."""
        pairs = [*zip(names, node.input, strict=False)]
        types = {name: self._types[value] for name, value in pairs if self._types.get(value)}
        shapes = {name: self._shapes[value] for name, value in pairs if value in self._shapes}
        for output in node.output[:1]:  # a guess, if the exporter does not tell the type
            if not self._types.get(output) and types:
                self._types[output] = next(iter(types.values()))
        return types, shapes


def _size(dim: Any, has_symbols: bool) -> int | str | None:
    if dim.HasField("dim_value"):
        return int(dim.dim_value)
    return dim.dim_param if has_symbols and is_symbol(dim.dim_param) else None
