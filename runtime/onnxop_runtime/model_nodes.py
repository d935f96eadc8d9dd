"""The nodes of a model, and checks for which ONNX Runtime does not give a library the
information.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import onnx

METADATA = "onnxop."
"""The prefix of the entries of a model's metadata that describe an operator."""

DOMAIN = r"[A-Za-z_][A-Za-z0-9_.-]*"
"""The names of domains that `export` writes."""

PREFIX = "onnxop_"
"""The prefix of attributes that are not arguments of an operator."""

VERSION = PREFIX + "version"
"""The attribute with the version of a node, which is 1 without it."""


def nodes_of(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """Yield the nodes, including those of subgraphs."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from nodes_of(graph.node)


def tensors_of(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """Yield the constant tensors of a model: those of graphs, subgraphs, functions and
    attributes.
    """
    yield from _tensors_of_graph(model.graph)
    for function in model.functions:
        yield from _tensors_of_nodes(function.node)


def _tensors_of_graph(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    yield from _tensors_of_nodes(graph.node)


def _tensors_of_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.TensorProto]:
    for node in nodes:
        for attribute in node.attribute:
            yield from (attribute.t, *attribute.tensors)
            for sparse in (attribute.sparse_tensor, *attribute.sparse_tensors):
                yield from (sparse.values, sparse.indices)
            for graph in (attribute.g, *attribute.graphs):
                yield from _tensors_of_graph(graph)


def name_of(node: onnx.NodeProto) -> str:
    """Return a node's name or, without one, its first output, as text on one line."""
    name = node.name or next(iter(node.output), "")
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)


def written_domains(model: onnx.ModelProto) -> dict[str, str]:
    """Return the domain of each operator that the model's metadata has as nodes, by the operator's
    name. Entries that `export` does not write are left out.
    """
    domains: dict[str, str] = {}
    for entry in model.metadata_props:
        operator = entry.key.removeprefix(METADATA)
        if operator != entry.key and (domain := _domain_in(entry.value)):
            domains[operator] = domain
    return domains


def _domain_in(text: str) -> str:
    """Return the domain in a metadata entry; "" if the entry has none that a node may have."""
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    domain = entry.get("domain") if isinstance(entry, dict) else None
    return domain if isinstance(domain, str) and re.fullmatch(DOMAIN, domain) else ""


def versions(model: onnx.ModelProto) -> dict[tuple[str, str], set[int]]:
    """Return the versions of the nodes of each domain and op type."""
    by_type: dict[tuple[str, str], set[int]] = {}
    for node in (node for part in (model.graph, *model.functions) for node in nodes_of(part.node)):
        recorded = {attribute.i for attribute in node.attribute if attribute.name == VERSION}
        by_type.setdefault((node.domain, node.op_type), set()).update(recorded or {1})
    return by_type


def check(
    path: object,
    model: onnx.ModelProto,
    operators: Mapping[str, Mapping[str, Any]],
    domains: Mapping[str, str],
) -> None:
    """Check the attributes and versions of the nodes that a library computes.

    Args:
        path: the model's file, for messages.
        model: the model.
        operators: the library's operators, from ``onnxop_library()``.
        domains: the domains of operators that are not in their own domain, by the operators' names.

    Raises:
        ValueError: a node has an attribute that neither the kernel nor a function reads, or is of a
            later version than the library. Nodes that onnxop wrote have their version, which the
            library checks.
    """
    written = {entry.key for entry in model.metadata_props}
    homes = {name: domains.get(name, op["domain"]) for name, op in operators.items()}
    read = _read_by_functions(model)
    for part in (*model.functions, model):
        # ONNX Runtime refuses a domain that is not imported.
        versions = {entry.domain: entry.version for entry in part.opset_import}
        for node in nodes_of(part.graph.node if part is model else part.node):
            for name, op in operators.items():
                if node.domain != homes[name] or not is_of(op["op_type"], node.op_type):
                    continue
                newest = max(operators[n]["version"] for n in homes if homes[n] == node.domain)
                version = versions.get(node.domain, 0)
                if f"{METADATA}{name}" not in written and version > newest:
                    raise ValueError(
                        f"{path}: {name} is a node of version {version} of {node.domain}, but the "
                        f"library supports {newest}; upgrade the package, or run the model without "
                        "it"
                    )
                attribute_names = {*op["attributes"], *read.get((node.domain, node.op_type), ())}
                if unknown := _unknown_attribute(node, attribute_names):
                    raise ValueError(
                        f"{path}: the node {name_of(node)} has an attribute {unknown}, which "
                        f"{name} would ignore; rename or remove it: the attributes are "
                        f"{op['attributes']}"
                    )


def _read_by_functions(model: onnx.ModelProto) -> dict[tuple[str, str], set[str]]:
    """Return the attributes that the nodes of each function refer to, by its domain and name."""
    return {
        (function.domain, function.name): {
            attribute.ref_attr_name
            for node in nodes_of(function.node)
            for attribute in node.attribute
        }
        for function in model.functions
    }


def _unknown_attribute(node: onnx.NodeProto, attribute_names: Container[str]) -> str:
    """Return the first attribute of a node that is neither known nor onnxop's own, or an empty
    string.
    """
    names = [attribute.name for attribute in node.attribute]
    unknown = (
        name for name in names if name not in attribute_names and not name.startswith(PREFIX)
    )
    return next(unknown, "")


def is_of(op_type: str, name: str) -> bool:
    """Return whether this is the op type of an operator's nodes, or of a variant."""
    number = name.removeprefix(f"{op_type}_variant_")
    return name == op_type or (number != name and number.isdecimal())
