"""ONNX functions: the nodes of a mapping as the function body of the operator's node."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import onnx
from onnx import helper

from ...inference import infer_with_sizes
from ...mapping.writing import NamedTensor
from ...model_nodes import PREFIX, nodes_of
from ...operator.export_context import ExportContext, Size, Sizes
from ...operator.model import Operator, Rule
from ..model_lines import named, of_stack_trace, with_line
from ..names import unused_name
from ..numbers import as_written
from ..size_symbols import is_symbol
from .body_writer import BodyWriter
from .missing_kernels import WrittenFunction, warn_of_missing_kernels

EXACT = PREFIX + "float64_"
"""The prefix of attributes that hold a float argument as text, if float32, ONNX's type of floats,
rounds it.
"""


@dataclass(frozen=True)
class OperatorNodes:
    """The nodes of an operator in a model, as an export wrote them, and the rule of their body."""

    model: onnx.ModelProto
    operator: Operator
    domain: str
    rule: Rule
    opset: int
    context: ExportContext


@dataclass
class _WrittenNode:
    """A node of the operator, and the nodes that the mapping writes for it."""

    node: onnx.NodeProto
    body: list[onnx.NodeProto]
    outputs: list[str]
    is_served: bool
    """Whether the library's kernel computes the node."""
    types: dict[str, int]
    """The known element types of the body's inputs."""

    @property
    def form(self) -> tuple[object, ...]:
        """A key that nodes share if they can share a function: everything except the values of
        attributes.
        """
        body = onnx.GraphProto(node=self.body)
        for attribute in _attributes(body.node):
            without_value = onnx.AttributeProto(name=attribute.name, type=attribute.type)
            without_value.t.data_type = attribute.t.data_type
            without_value.t.dims[:] = attribute.t.dims
            attribute.CopyFrom(without_value)
        attributes = sorted((a.name, a.type) for a in self.node.attribute if _is_of_function(a))
        present = tuple(bool(name) for name in self.node.input)
        nodes = body.SerializeToString(deterministic=True)
        return self.is_served, present, tuple(attributes), nodes, tuple(self.outputs)


def _is_of_function(attribute: onnx.AttributeProto) -> bool:
    """Return whether the function of a node may take this attribute."""
    return not attribute.name.startswith(EXACT)


def _attributes(body: Iterable[onnx.NodeProto]) -> list[onnx.AttributeProto]:
    """Return the attributes of a body's nodes and of nodes in subgraphs, except the subgraphs."""
    attributes = (attribute for node in nodes_of(body) for attribute in node.attribute)
    return [attribute for attribute in attributes if attribute.type != onnx.AttributeProto.GRAPH]


def add_functions(nodes: OperatorNodes) -> None:
    """Add a function body for every node of the operator.

    Nodes share a function if their bodies differ in attribute values only. These values become
    attributes of the nodes, to which the body refers. Nodes with other bodies get a function and an
    op type of their own, not an ONNX overload: ONNX Runtime 1.24 and onnx.reference run the wrong
    overload.
    """
    groups: dict[tuple[Any, ...], list[_WrittenNode]] = {}
    for written in _written_nodes(nodes):
        groups.setdefault(written.form, []).append(written)
    if not groups:
        return
    operator, model = nodes.operator, nodes.model
    limit = operator.package.library.variants(str(operator)) if operator.is_native else len(groups)
    op_types = _op_types(operator, groups.values(), limit)
    functions: list[WrittenFunction] = []
    for op_type, group in zip(op_types, groups.values(), strict=True):
        function = _function(nodes, op_type, group)
        model.functions.append(function)
        functions.append(WrittenFunction(function, group[0].node, group[0].types))
        for written in group:
            written.node.op_type = op_type
    _warn_of_limit(operator, sum(group[0].is_served for group in groups.values()), limit)
    warn_of_missing_kernels(operator, functions)
    model.ir_version = max(model.ir_version, 8)


def _op_types(
    operator: Operator, groups: Iterable[Sequence[_WrittenNode]], limit: int
) -> list[str]:
    """Return the op type of each group of nodes; the library serves no more than ``limit``."""
    op_types: list[str] = []
    served, unserved = 0, 0
    for nodes in groups:
        is_served = nodes[0].is_served and served < limit
        if is_served:
            served += 1
        else:
            unserved += 1
        number = served if is_served else unserved
        op_types.append(variant(operator, number, is_served=is_served))
    return op_types


def check_served(nodes: OperatorNodes) -> None:
    """Raise ValueError unless the library's kernel computes every node of the operator."""
    for written in _written_nodes(nodes):
        if not written.is_served:
            raise ValueError(
                f"{nodes.operator}: function_bodies=False, but the library's kernel does not support the "
                f"input dtypes of the node of {written.node.output[0]}; export it with function "
                "bodies"
            )


def _function(
    nodes: OperatorNodes, op_type: str, group: Sequence[_WrittenNode]
) -> onnx.FunctionProto:
    """Return the function of a group of nodes of the same form."""
    operator = nodes.operator
    _replace_values_by_references(group, {scalar.name for scalar in operator.scalars})
    first = group[0]
    count = len(first.node.input)
    return helper.make_function(
        nodes.domain,
        op_type,
        input_names(operator, count)[:count],
        first.outputs,
        first.body,
        [helper.make_opsetid("", nodes.opset)],
        attributes=sorted(a.name for a in first.node.attribute if _is_of_function(a)),
        doc_string=operator.doc,
    )


def _replace_values_by_references(nodes: Sequence[_WrittenNode], used: set[str]) -> None:
    """Replace attribute values that differ between bodies by references to new attributes of the
    nodes. ``used`` are the names of the nodes' other attributes.
    """
    for attributes in zip(*(_attributes(written.body) for written in nodes), strict=True):
        first = attributes[0]
        if all(attribute == first for attribute in attributes):
            continue
        name = unused_name(PREFIX + first.name, used)
        used.add(name)
        for written, attribute in zip(nodes, attributes, strict=True):
            written.node.attribute.add().CopyFrom(attribute)
            written.node.attribute[-1].name = name
            reference = onnx.AttributeProto(name=first.name, ref_attr_name=name, type=first.type)
            attribute.CopyFrom(reference)


def _warn_of_limit(operator: Operator, needed: int, limit: int) -> None:
    """Warn if the library serves fewer functions than the model needs."""
    if needed > limit:
        warnings.warn(
            f"{operator} has {needed} different functions in this model, but its library for ONNX "
            f"Runtime serves {limit}; the nodes of the others run as function bodies",
            stacklevel=3,
        )


def variant(operator: Operator, number: int, *, is_served: bool = True) -> str:
    """Return the op type of a function's nodes. The library computes nodes of these types, except
    those with ``_function``: for unsupported dtypes, and for variants beyond its limit.
    """
    if not is_served:
        suffix = f"_{number}" if number > 1 else ""
        return f"{operator.op_type}_function{suffix}"
    return operator.op_type if number == 1 else f"{operator.op_type}_variant_{number}"


def is_of(operator: Operator, op_type: str) -> bool:
    """Return whether this may be the op type of the operator's nodes."""
    form = re.escape(operator.op_type) + r"(_variant_\d+|_function(_\d+)?)?"
    return re.fullmatch(form, op_type) is not None


# ---- The nodes of a model, and what the mapping writes for each ----


def _written_nodes(nodes: OperatorNodes) -> Iterator[_WrittenNode]:
    """Run the mapping for each node of the operator; yield the nodes that it writes."""
    operator, context = nodes.operator, nodes.context
    protos = _nodes(nodes.model, nodes.domain, operator.op_type)
    if not protos:
        return
    values = _Values(nodes.model, is_dynamo=context.dynamo)
    sizes_of_calls = _sizes_of_calls(operator, len(protos), context)
    lines = context.log.model_lines.get(operator, [])
    if len(lines) != len(protos):
        lines = ["" for _ in protos]
    for node, line, call_sizes in zip(protos, lines, sizes_of_calls, strict=True):
        try:
            yield _written_node(nodes, node, values, call_sizes)
        except ValueError as error:
            message = named(operator, str(error))
            model_line = _model_line(operator, node, line)
            raise ValueError(with_line(message, model_line)) from error.__cause__


def _written_node(
    nodes: OperatorNodes, node: onnx.NodeProto, values: _Values, call_sizes: Sequence[Sizes]
) -> _WrittenNode:
    """Run the mapping for a node. ``call_sizes`` are the sizes of the call's tensors as
    torch.export knows them, or none.
    """
    operator, is_dynamo = nodes.operator, nodes.context.dynamo
    names = input_names(operator, len(node.input))
    types, sizes = values.inputs_of(node, names)
    sizes |= _by_input(call_sizes, names, node)
    writer = BodyWriter(
        nodes.opset,
        names,
        types,
        sizes,
        is_dynamo=is_dynamo,
        can_be_dynamo=operator.allows_dynamo and not call_sizes,
    )
    result = nodes.rule(writer, **_arguments(operator, node, names))
    results: list[NamedTensor] = [*result] if isinstance(result, list | tuple) else [result]
    outputs = _output_names(results, writer)
    is_served = _is_served(operator, names, types)
    return _WrittenNode(node, writer.nodes, outputs, is_served, types)


def _sizes_of_calls(
    operator: Operator, count: int, context: ExportContext
) -> list[Sequence[Sizes]]:
    """Return the sizes of the tensors of each call, as torch.export knows them; none unless it
    recorded as many calls as there are nodes.
    """
    call_sizes = context.log.call_sizes
    if call_sizes is None or not call_sizes.has_all_calls(operator, count):
        return [[] for _ in range(count)]
    return [call_sizes.at(operator, position) for position in range(count)]


def _nodes(model: onnx.ModelProto, domain: str, op_type: str) -> list[onnx.NodeProto]:
    """Return the nodes of an op type in a model, in order, with those in functions."""
    nodes: list[onnx.NodeProto] = []
    for part in (model.graph, *model.functions):
        all_nodes = nodes_of(part.node)
        nodes += [n for n in all_nodes if (n.domain, n.op_type) == (domain, op_type)]
    return nodes


def _arguments(operator: Operator, node: onnx.NodeProto, names: Sequence[str]) -> dict[str, object]:
    """Return the arguments of the mapping for a node, whose inputs have these names in the body."""
    pairs = zip_longest(names, node.input)
    tensors = [NamedTensor(name) if value else None for name, value in pairs]
    arguments: dict[str, Any] = {}
    for tensor, value in zip(operator.tensors, tensors, strict=False):
        arguments[tensor.name] = value
    if operator.takes_list:
        arguments[operator.tensors[-1].name] = tensors[len(operator.tensors) - 1 :]
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    for scalar in operator.scalars:
        exact = attributes.get(EXACT + scalar.name)
        if exact:
            floats = [*map(float, exact.split())]
            arguments[scalar.name] = floats if scalar.is_list else floats[0]
        else:
            value = attributes.get(scalar.name)
            arguments[scalar.name] = _argument_of(value, is_boolean=scalar.base_type == "bool")
    return arguments


def _argument_of(value: object, *, is_boolean: bool) -> object:
    """Return an argument for the mapping from the value of an attribute."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [bool(item) for item in value] if is_boolean else as_written(value)
    if isinstance(value, float):
        return as_written([value])[0]
    return bool(value) if is_boolean and value is not None else value


def _model_line(operator: Operator, node: onnx.NodeProto, line: str) -> str:
    """Return the line of the model that makes a node: the dynamo exporter writes it into
    the node.
    """
    traces = (prop.value for prop in node.metadata_props if prop.key.endswith(".stack_trace"))
    return line or of_stack_trace(operator, next(traces, ""))


def _by_input(
    call_sizes: Sequence[Sizes], names: Sequence[str], node: onnx.NodeProto
) -> dict[str, Sizes]:
    """Return the sizes of a call's tensors by the names of the body's inputs; none if their numbers
    differ.
    """
    present = [name for name, value in zip(names, node.input, strict=False) if value]
    if len(call_sizes) != len(present):
        return {}
    return dict(zip(present, call_sizes, strict=True))


def _is_served(operator: Operator, names: Sequence[str], types: Mapping[str, int]) -> bool:
    """Return whether the library's kernel computes a node with inputs of these element types."""
    if not operator.is_native:
        return True
    types_by_argument = _types_by_argument(operator, names, types)
    return operator.package.library.serves(str(operator), types_by_argument)


def _types_by_argument(
    operator: Operator, names: Sequence[str], types: Mapping[str, int]
) -> dict[str, set[int]]:
    """Return the known element types of each argument; an empty list of tensors has an empty
    set.
    """
    types_by_name = {name: {types[name]} for name in names if name in types}
    if operator.takes_list:
        items = names[len(operator.tensors) - 1 :]
        item_types = {types[name] for name in items if name in types}
        if item_types or not items:
            types_by_name[operator.tensors[-1].name] = item_types
    return types_by_name


def _output_names(results: Sequence[NamedTensor], writer: BodyWriter) -> list[str]:
    """Return the names of a body's outputs. An Identity copies inputs and duplicates: ONNX Runtime
    does not load a body whose output is its input, as after a loop without iterations.
    """
    names: list[str] = []
    for result in results:
        if result.name in (*writer.inputs, *names):
            result = writer.node("Identity", result)
        names.append(result.name)
    return names


def input_names(operator: Operator, count: int) -> list[str]:
    """Return a body's inputs for a node with ``count`` inputs; a list's items are numbered."""
    names = [tensor.name for tensor in operator.tensors]
    if not operator.takes_list:
        return names
    *others, name_of_list = names
    items: list[str] = []
    for index in range(count - len(others)):
        items.append(unused_name(f"{name_of_list}_{index}", {*names, *items}))
    return [*others, *items]


class _Values:
    """The known element types and sizes of a model's values. The TorchScript exporter has names for
    sizes that it does not know, so that only those of inputs are names of dynamic ones.
    """

    def __init__(self, model: onnx.ModelProto, *, is_dynamo: bool) -> None:
        graph = infer_with_sizes(model, onnx.shape_inference.infer_shapes(model)).graph
        infos = [*graph.input, *graph.value_info, *graph.output]
        self._types = {info.name: info.type.tensor_type.elem_type for info in infos}
        self._types |= {tensor.name: tensor.data_type for tensor in graph.initializer}
        self._sizes: dict[str, Sizes] = {}
        inputs = {port.name for port in graph.input}
        for info in infos:
            if info.type.tensor_type.HasField("shape"):
                has_symbols = is_dynamo or info.name in inputs
                dims = info.type.tensor_type.shape.dim
                self._sizes[info.name] = tuple(_size(dim, has_symbols) for dim in dims)
        self._sizes |= {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}

    def inputs_of(
        self, node: onnx.NodeProto, names: Sequence[str]
    ) -> tuple[dict[str, int], dict[str, Sizes]]:
        """Return the types and sizes of a node's inputs, by the names of the function's inputs."""
        pairs = [*zip(names, node.input, strict=False)]
        types = {name: self._types[value] for name, value in pairs if self._types.get(value)}
        sizes = {name: self._sizes[value] for name, value in pairs if value in self._sizes}
        for output in node.output[:1]:  # a guess, if the exporter does not tell the type
            if not self._types.get(output) and types:
                self._types[output] = next(iter(types.values()))
        return types, sizes


def _size(dim: onnx.TensorShapeProto.Dimension, has_symbols: bool) -> Size:
    """Return a size: an integer, the symbol of a dynamic one, or None if it is unknown."""
    if dim.HasField("dim_value"):
        return int(dim.dim_value)
    return dim.dim_param if has_symbols and is_symbol(dim.dim_param) else None
