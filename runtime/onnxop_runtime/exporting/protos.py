"""ONNX's messages: the nodes within nodes, and the names of values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, count

import onnx


def nodes_of(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """The nodes, and those of the graphs within them."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from nodes_of(graph.node)


def rename(nodes: Iterable[onnx.NodeProto], names: Mapping[str, str]) -> None:
    """Rename values wherever the nodes, and those within them, take or give them."""
    for node in nodes_of(nodes):
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
        for attribute in node.attribute:
            for port in attribute.g.output:
                port.name = names.get(port.name, port.name)


def free(name: str, taken: Collection[str]) -> str:
    """The name, or the first with a number behind it that is not taken."""
    numbered = (f"{name}_{number}" for number in count(1))
    return next(word for word in chain([name], numbered) if word not in taken)
