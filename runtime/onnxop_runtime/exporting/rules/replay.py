"""The nodes of a graph that the dynamo exporter wrote → a TorchScript graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from ...mapping.calls import GRAPHS
from ...mapping.writing import Body
from ..torchscript_graph import GraphContext
from .torchscript_writer import TorchScriptWriter

if TYPE_CHECKING:
    from onnxscript import ir


class Replay:
    """Copies the nodes of a model's graph.

    Args:
        g: the graph to write to.
        model: the model, of standard nodes only.
        inputs: the values of the model's inputs.
    """

    def __init__(self, g: GraphContext, model: ir.Model, inputs: Sequence[torch.Value]) -> None:
        self._writer, self._graph = TorchScriptWriter(g, g.opset), model.graph
        if model.functions:
            raise ValueError("it needs ONNX functions; export with dynamo=True")
        self._values: dict[ir.Value, torch.Value] = dict(
            zip(self._graph.inputs, inputs, strict=True)
        )

    def results(self, dtypes: Sequence[torch.dtype]) -> list[torch.Value]:
        """Return the graph's results, cast to PyTorch's dtypes if the exporter's rules return
        others.
        """
        results = self._write_nodes(self._graph)
        for index, (value, dtype) in enumerate(zip(results, dtypes, strict=True)):
            if self._writer.dtype(value) not in (dtype, None):
                results[index] = self._writer.cast(value, dtype)
        return results

    def _write_nodes(self, graph: ir.Graph) -> list[torch.Value]:
        """Write the nodes of a graph; return the values of its outputs."""
        for initializer in graph.initializers.values():
            tensor: Any = initializer.const_value
            constant = torch.from_numpy(tensor.numpy().copy())
            self._values[initializer] = self._writer.node("Constant", value=constant)
        for node in graph:
            self._write(node)
        return [self._values[value] for value in graph.outputs]

    def _write(self, node: ir.Node) -> None:
        """Write a node; keep its outputs."""
        if node.domain:
            raise ValueError(f"it needs {node.domain}::{node.op_type}, not a standard node")
        inputs = [None if value is None else self._values[value] for value in node.inputs]
        attributes = {
            attribute.name: self._attribute(node.op_type, attribute, inputs)
            for attribute in node.attributes.values()
        }
        count = len(node.outputs)
        outputs = self._writer.node(node.op_type, *inputs, _outputs=count, **attributes)
        values = outputs if count > 1 else [outputs]
        self._values.update(zip(node.outputs, values, strict=True))

    def _attribute(
        self, op_type: str, attribute: ir.Attr, inputs: Sequence[torch.Value | None]
    ) -> object:
        """Return the value of an attribute as the writer takes it."""
        from onnxscript import ir

        value: Any = attribute.value
        if attribute.type == ir.AttributeType.TENSOR:
            return torch.from_numpy(value.numpy().copy())
        if attribute.type == ir.AttributeType.GRAPH and op_type in GRAPHS:
            return self._body(value, inputs)
        if attribute.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS):
            raise ValueError(f"it needs {op_type}, a node with subgraphs; use dynamo=True")
        return list(value) if isinstance(value, tuple) else value

    def _body(self, graph: ir.Graph, inputs: Sequence[torch.Value | None]) -> Body:
        """Return a subgraph of a node with these inputs."""

        def write_nodes(*values: torch.Value) -> list[torch.Value]:
            self._values.update(zip(graph.inputs, values, strict=True))
            return self._write_nodes(graph)

        return Body(["INT64", "BOOL", *inputs[2:]][: len(graph.inputs)], write_nodes)
