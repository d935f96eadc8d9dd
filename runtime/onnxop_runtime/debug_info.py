"""What exporters write into a model for people: source lines with their paths, and how to remove
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import onnx
    from onnxscript import ir

_PREFIXES = ("pkg.", "namespace")
"""The keys of metadata that exporters write beside nodes and values."""


def strip(model: onnx.ModelProto) -> bool:
    """Remove from a model what says where its nodes come from: the metadata of the exporters on
    nodes, values and graphs (paths, source lines, names of modules), and all doc strings. The
    model's own metadata stay.

    Returns:
        Whether the model had any.
    """
    before = model.ByteSize()
    model.ClearField("doc_string")
    _strip_graph(model.graph)
    for function in model.functions:
        _strip_item(function)
        _strip_items(function.value_info)
        _strip_nodes(function.node)
    return bool(model.ByteSize() != before)


def strip_file(path: Path) -> None:
    """Strip the model in a file, as `strip` does; its external weights stay as they are."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    if strip(model):
        onnx.save(model, path)


def strip_program(model: ir.Model) -> None:
    """Strip the ``onnx_ir.Model`` of a program, as `strip` does."""
    model.doc_string = None
    _strip_ir_graph(model.graph)
    for tensor in model.graph.initializers.values():
        _strip_ir_item(tensor)
    for function in model.functions.values():
        _strip_ir_graph(function)


def _strip_ir_graph(graph: Any) -> None:
    """Strip a graph or a function."""
    _strip_ir_item(graph)
    for value in (*graph.inputs, *graph.outputs):
        _strip_ir_item(value)
    for node in graph:
        _strip_ir_item(node)
        for value in node.outputs:
            _strip_ir_item(value)
        for attribute in node.attributes.values():
            for subgraph in _subgraphs(attribute):
                _strip_ir_graph(subgraph)


def _subgraphs(attribute: Any) -> Sequence[Any]:
    if attribute.type.name == "GRAPH":
        return [attribute.value]
    graphs: Sequence[Any] = attribute.value if attribute.type.name == "GRAPHS" else ()
    return graphs


def _strip_ir_item(item: Any) -> None:
    item.doc_string = None
    for key in [key for key in item.metadata_props if key.startswith(_PREFIXES)]:
        del item.metadata_props[key]


def _strip_graph(graph: Any) -> None:
    _strip_item(graph)
    for items in (graph.input, graph.output, graph.value_info, graph.initializer):
        _strip_items(items)
    _strip_nodes(graph.node)


def _strip_nodes(nodes: Iterable[Any]) -> None:
    for node in nodes:
        _strip_item(node)
        for attribute in node.attribute:
            attribute.ClearField("doc_string")
            if attribute.HasField("g"):
                _strip_graph(attribute.g)
            for graph in attribute.graphs:
                _strip_graph(graph)


def _strip_items(items: Iterable[object]) -> None:
    for item in items:
        _strip_item(item)


def _strip_item(item: Any) -> None:
    item.ClearField("doc_string")
    kept = [entry for entry in item.metadata_props if not entry.key.startswith(_PREFIXES)]
    if len(kept) != len(item.metadata_props):
        copies = [(entry.key, entry.value) for entry in kept]
        del item.metadata_props[:]
        for key, value in copies:
            item.metadata_props.add(key=key, value=value)
