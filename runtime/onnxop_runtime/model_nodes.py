"""The nodes of a model, and what a library for ONNX Runtime would miss of them: it is not told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

PREFIX = "onnxop_"
"""What attributes begin with that are none of an operator's arguments."""


def nodes_of(nodes: Iterable[Any]) -> Iterator[Any]:
    """Yield the nodes, and those of the graphs within them."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from nodes_of(graph.node)


def check(
    path: Any, model: Any, operators: Mapping[str, Mapping[str, Any]], domains: Mapping[str, str]
) -> None:
    """Check the nodes that a library computes, where functions may mean something else.

    Args:
        path: the model's file, for messages.
        model: the model.
        operators: the library's, as ``onnxop_library()`` tells of them.
        domains: the domains of some of them, by name, where these are not their own.

    Raises:
        ValueError: a node has an attribute that neither the kernel nor a function reads, or, where onnxop did
            not write it, which has a node say so itself, is of a later version than the library.
    """
    written = {entry.key for entry in model.metadata_props}
    read = {
        (function.domain, function.name): {
            attribute.ref_attr_name
            for node in nodes_of(function.node)
            for attribute in node.attribute
        }
        for function in model.functions
    }
    homes = {name: domains.get(name, op["domain"]) for name, op in operators.items()}
    for part, imports in ((each, each.opset_import) for each in (*model.functions, model)):
        versions = {entry.domain: entry.version for entry in imports}
        for node in nodes_of(part.graph.node if part is model else part.node):
            for name, op in operators.items():
                if node.domain != homes[name] or not is_of(op["op_type"], node.op_type):
                    continue
                newest = max(operators[n]["version"] for n in homes if homes[n] == node.domain)
                if f"onnxop.{name}" not in written and versions[node.domain] > newest:
                    raise ValueError(
                        f"{path}: {name} is a node of version {versions[node.domain]} of {node.domain}, and "
                        f"the library knows {newest}; take a later package, or run the model without it"
                    )
                known = [*op["attributes"], *read.get((node.domain, node.op_type), ())]
                for word in (attribute.name for attribute in node.attribute):
                    if word not in known and not word.startswith(PREFIX):
                        raise ValueError(
                            f"{path}: the node {node.name or node.output[0]} has the attribute {word}, which "
                            f"{name} has not, and would compute without it: its own are {op['attributes']}"
                        )


def is_of(op_type: str, name: str) -> bool:
    """Return whether a library that has nodes of an op type may compute one called that."""
    number = name.removeprefix(f"{op_type}_variant_")
    return name == op_type or (number != name and number.isdecimal())
