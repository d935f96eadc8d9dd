"""The writer of a mapping's nodes for the dynamo exporter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from ...mapping.writing import Body
from ...operator.export_context import Size
from ..element_types import NUMBERS, TORCH_TYPES
from ..exporter_names import NAMES, remedy_for_sizes
from ..numbers import check_known
from ..size_symbols import is_symbol
from .writer import Constant, ExporterWriter

if TYPE_CHECKING:
    from onnxscript import ir


class OnnxscriptWriter(ExporterWriter["ir.Value"]):
    """Writes nodes with an onnxscript opset, which the dynamo exporter traces."""

    exporter, remedy_for_sizes = NAMES[True], remedy_for_sizes(dynamo=True)

    def __init__(self, opset: int) -> None:
        from onnxscript import values

        self._op = values.Opset("", opset)
        self._graphs = 0  # the number of subgraphs so far

    def node(
        self, op_type: str, *inputs: ir.Value | None, _outputs: int = 1, **attributes: Any
    ) -> Any:
        """Write a node by onnxscript; return its output, or several."""
        check_known(attributes.values())
        if any(isinstance(value, Body) for value in attributes.values()):
            return self._with_bodies(op_type, inputs, attributes, _outputs)
        if op_type == "Split" and attributes.get("num_outputs") is None:
            return self._split(inputs, attributes.get("axis"), _outputs)
        outputs = getattr(self._op, op_type)(*inputs, **attributes)
        if not isinstance(outputs, list | tuple):
            return outputs
        # onnxscript returns all outputs of the op's schema.
        return outputs[0] if _outputs == 1 else outputs[:_outputs]

    def _split(self, inputs: Sequence[ir.Value | None], axis: int | None, output_count: int) -> Any:
        """Write op.Split by sizes, whose outputs the exporter cannot count."""
        from onnxscript import ir

        tensor = inputs[0]
        assert tensor is not None
        attributes = [] if axis is None else [ir.AttrInt64("axis", axis)]
        results: Any = self._recorded("Split", inputs, attributes, output_count)
        for result in results:
            result.dtype = tensor.dtype
        return _one_or_several(results)

    def _with_bodies(
        self,
        op_type: str,
        inputs: Sequence[ir.Value | None],
        bodies: Mapping[str, Body],
        output_count: int,
    ) -> Any:
        """Write a node with subgraphs, such as a Loop."""
        from onnxscript import evaluator, ir

        recorder: Any = evaluator.default()
        graphs = [self._graph(recorder, name, body) for name, body in bodies.items()]
        attributes = [ir.AttrGraph(graph.name or "", graph) for graph in graphs]
        return _one_or_several(self._recorded(op_type, inputs, attributes, output_count))

    def _recorded(
        self,
        op_type: str,
        inputs: Sequence[ir.Value | None],
        attributes: Sequence[ir.Attr],
        output_count: int,
    ) -> Sequence[ir.Value]:
        """Write a node past onnxscript's checks; return its outputs."""
        from onnxscript import evaluator, ir

        recorder: Any = evaluator.default()
        version = self._op.version
        node = ir.Node("", op_type, inputs, attributes, num_outputs=output_count, version=version)
        recorder.nodes.append(node)
        outputs: Sequence[ir.Value] = node.outputs
        return outputs

    def _graph(self, recorder: Any, name: str, body: Body) -> ir.Graph:
        """Write a body as a graph: the recorder of the exporter's nodes gets its nodes
        meanwhile.
        """
        from onnxscript import ir

        self._graphs += 1
        prefix = f"{name}_{self._graphs}"
        values = [_value_of_parameter(parameter) for parameter in body.parameters]
        for index, value in enumerate(values):
            value.name = f"{prefix}_{index}"
        outer = recorder.nodes, recorder.constant_farm
        recorder.nodes, recorder.constant_farm = [], dict(recorder.constant_farm)
        try:
            results = body.write_nodes(*values)
        finally:
            written: list[ir.Node] = recorder.nodes
            recorder.nodes, recorder.constant_farm = outer
        outputs = (output for node in written for output in node.outputs)
        for index, output in enumerate(outputs):
            output.name = output.name or f"{prefix}_val_{index}"
        return ir.Graph(values, results, nodes=written, name=name)

    def known_sizes(self, tensor: ir.Value) -> Sequence[Size] | None:
        return None if tensor.shape is None else [*map(_size, tensor.shape)]

    def dtype(self, tensor: ir.Value) -> torch.dtype | None:
        return None if tensor.dtype is None else TORCH_TYPES.get(tensor.dtype.name)

    def cast(self, tensor: ir.Value, dtype: torch.dtype) -> ir.Value:
        from onnxscript import ir

        result: ir.Value = self.node("Cast", tensor, to=NUMBERS[dtype])
        result.dtype, result.shape = ir.DataType(NUMBERS[dtype]), tensor.shape
        return result

    def tensor(self, value: Constant, element_type: str | None) -> ir.Value:
        from onnxscript import ir

        dtype = None if element_type is None else ir.DataType[element_type]
        tensor: Any = ir.tensor(value, dtype=dtype)  # type: ignore[arg-type,unused-ignore]
        result: ir.Value = self._op.Constant(value=tensor)
        result.dtype, result.shape = tensor.dtype, tensor.shape
        return result


def _value_of_parameter(parameter: str | ir.Value) -> ir.Value:
    """Return a body's input: a scalar of an element type, or a tensor of another one's type."""
    from onnxscript import ir

    if isinstance(parameter, str):
        return ir.Value(type=ir.TensorType(ir.DataType[parameter]), shape=ir.Shape([]))
    return ir.Value(type=parameter.type)


def _size(size: int | ir.SymbolicDim) -> Size:
    """Return a size of onnxscript: an integer, the symbol of a dynamic one, or None if it depends
    on values.
    """
    if isinstance(size, int):
        return size
    symbol = str(size.value)
    return symbol if is_symbol(symbol) else None


def _one_or_several(outputs: Sequence[ir.Value]) -> Any:
    """Return what a mapping gets of a node: its output, or a list of several."""
    return outputs[0] if len(outputs) == 1 else outputs
