"""Writers of a mapping's nodes for PyTorch's two exporters, TorchScript and dynamo."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import onnx
import torch

from ...mapping.writing import Body
from ...operator.export_context import KnownSizes
from ...torch_internals import TensorType, Value, symbolic_helper
from ..domain_nodes.nodes import optional_input
from . import opsets
from .size_symbols import is_symbol
from .writer import NUMBERS, TORCH_TYPES, Writer, check_known

_PROMOTED = frozenset(
    "Add Concat Div Equal Greater GreaterOrEqual Less LessOrEqual Max Min Mod Mul Pow Sub Where".split()
)
"""Ops whose inputs the TorchScript exporter promotes to one type, as PyTorch would."""


class TorchScriptWriter(Writer):
    """Writes nodes with ``g.op``, at the opset of the export."""

    exporter = opsets.NAMES[False]
    remedy_for_sizes = opsets.UNKNOWN_SIZES[False]

    def __init__(self, g: Any, opset: int, call_sizes: KnownSizes | None = None) -> None:
        self._g, self._opset, self._call_sizes = g, opset, call_sizes

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        check_known(attributes.values())
        if bodies := [value for value in attributes.values() if isinstance(value, Body)]:
            return self._nesting(op_type, inputs, bodies, _outputs)
        name, value = next(iter(attributes.items()), ("", None))
        if op_type == "Constant" and name.startswith(("value_float", "value_int")):
            # The exporter only reads the values of constants that are tensors.
            dtype = torch.float32 if "float" in name else torch.int64
            return self._g.op("Constant", value_t=torch.tensor(value, dtype=dtype))
        if op_type == "Shape" and (attributes.get("start") or attributes.get("end") is not None):
            return self._part_of_shape(*inputs, **attributes)
        inputs, attributes = self._spelt_out(op_type, inputs, attributes)
        if op_type in _PROMOTED:
            inputs = self._of_their_type(inputs)
        known = onnx.defs.get_schema(op_type, self._opset).attributes
        named: dict[str, Any] = {
            f"{name}_{known[name].type.name[0].lower()}": value  # type: ignore[attr-defined,unused-ignore]
            for name, value in attributes.items()
            if value is not None
        }
        if _outputs > 1:
            named["outputs"] = _outputs
        return self._g.op(op_type, *(optional_input(self._g, value) for value in inputs), **named)

    def _nesting(
        self, op_type: str, inputs: Sequence[Any], bodies: Sequence[Body], outputs: int
    ) -> Any:
        pairs = itertools.zip_longest(inputs, bodies[0].parameters)
        inputs = [self._as_scalar(v) if isinstance(p, str) else v for v, p in pairs]
        inputs = [optional_input(self._g, value) for value in inputs]
        written = self._g.op(op_type, *inputs, outputs=outputs)
        node = (written[0] if outputs > 1 else written).node()
        tensor, outer = TensorType.get(), self._g
        for body in bodies:
            block = node.addBlock()
            self._g = dataclasses.replace(outer, block=block)
            values = [block.addInputToBlock() for _ in body.parameters]
            for value, parameter in zip(values, body.parameters, strict=True):
                value.setType(
                    tensor.with_dtype(TORCH_TYPES[parameter]).with_sizes([])
                    if isinstance(parameter, str)
                    else tensor.with_dtype(parameter.type().dtype())
                )
            results = body.write(*values)
            self._g = outer
            for result in results:
                block.registerOutput(result)
        own = len(results) - outputs  # a Loop's condition, which is not an output
        for output, result in zip(node.outputs(), results[own:], strict=True):
            output.setType(tensor.with_dtype(result.type().dtype()))
        return written

    def _as_scalar(self, value: Any) -> Any:
        """Reshape to rank 0: the exporter gives a Loop's counter the sizes of its trip count."""
        if value is None or value.type().varyingSizes() == []:
            return value
        return self._g.op("Reshape", value, self.tensor([], "INT64"))

    def _part_of_shape(self, tensor: Any, start: int | None = None, end: int | None = None) -> Any:
        """Write op.Shape of some dimensions: the exporter's shape inference ignores start and end."""
        ends = [end if end is not None else torch.iinfo(torch.int64).max]
        bounds = (self.tensor(value, "INT64") for value in ([start or 0], ends, [0]))
        return self.node("Slice", self.node("Shape", tensor), *bounds)

    def _spelt_out(
        self, op_type: str, inputs: tuple[Any, ...], attributes: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return a node's parts, with defaults that the exporter's shape inference needs."""
        if op_type == "Transpose" and attributes.get("perm") is None:
            return inputs, {"perm": list(reversed(range(len(self.sizes(inputs[0])))))}
        if op_type == "Slice" and len(inputs) > 2 and inputs[3:4] in ((), (None,)):
            starts = inputs[1]
            count = self.sizes(starts)[0]
            if not isinstance(count, int):
                raise ValueError(
                    "op.Slice has no axes, and the number of its starts is unknown; give it axes"
                )
            axes = self.constant(list(range(count)), like=starts)
            return (*inputs[:3], axes, *inputs[4:]), attributes
        return (
            self._reshaped(*inputs, **attributes) if op_type == "Reshape" else (inputs, attributes)
        )

    def _reshaped(
        self, tensor: Any, shape: Any, **attributes: Any
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Write a Reshape so that it copies no size of 0, by which the exporter's shape inference divides."""
        known, sizes = symbolic_helper.constant_of(shape, "is"), tensor.type().varyingSizes()
        if not isinstance(known, list) and 0 in (sizes or []) and self._opset >= 12:
            hidden = self.node("Max", shape, shape)  # shape inference stops here
            return (tensor, hidden), attributes
        if not isinstance(known, list) or sizes is None or attributes.get("allowzero"):
            return (tensor, shape), attributes
        pairs = itertools.zip_longest(known, sizes[: len(known)])
        copied = [had if size == 0 else size for size, had in pairs]
        if 0 not in copied:
            return (tensor, shape), attributes
        if -1 in copied or None in copied or self._opset < 14:  # allowzero came in 14
            raise ValueError(
                f"the operator reshapes a tensor of sizes {sizes}, without elements, to {known}, which "
                "ONNX cannot express; export it with a tensor that has elements"
            )
        return (tensor, self.tensor(copied, "INT64")), {"allowzero": 1}

    def _of_their_type(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Hide a float64 number behind an Identity: the exporter would make it float32."""
        kinds: list[Any] = [None if value is None else value.type() for value in inputs]
        if any(kind is None or kind.dim() != 0 for kind in kinds):
            return inputs
        for place, value in enumerate(inputs):
            if kinds[place].dtype() == torch.float64 and value.node().kind() != "onnx::Constant":
                same = self._g.op("Identity", value)
                same.setType(TensorType.get().with_dtype(torch.float64))
                return (*inputs[:place], same, *inputs[place + 1 :])
        return inputs

    def known_sizes(self, tensor: Any) -> Sequence[Any] | None:
        traced = None if self._call_sizes is None else self._call_sizes.of(tensor)
        if traced is not None:
            return traced
        sizes: Sequence[Any] | None = tensor.type().varyingSizes()
        is_input = tensor.node().kind() == "prim::Param"
        if sizes is None or not is_input:
            return sizes
        return ["dynamic" if size is None else size for size in sizes]

    def dtype(self, tensor: Any) -> torch.dtype | None:
        kind = tensor.type()
        return kind.dtype() if isinstance(kind, TensorType) else None

    def cast(self, value: Any, to: torch.dtype) -> Any:
        return self.node("Cast", value, to=NUMBERS[to])

    def number(self, value: Any) -> int | float | None:
        if not isinstance(value, Value):
            return super().number(value)
        constant = symbolic_helper.constant_of(value, "t")
        is_number = isinstance(constant, torch.Tensor) and constant.dim() == 0
        return super().number(constant.item()) if is_number else None

    def tensor(self, value: Any, kind: str | None) -> Any:
        if kind not in TORCH_TYPES:
            element_type = f"the element type {kind}" if kind else "an unknown element type"
            raise ValueError(f"the exporter cannot write {value} in {element_type}")
        return self._g.op("Constant", value_t=torch.tensor(value, dtype=TORCH_TYPES[kind]))


class OnnxscriptWriter(Writer):
    """Writes nodes with an onnxscript opset, which the dynamo exporter traces."""

    exporter = opsets.NAMES[True]
    remedy_for_sizes = opsets.UNKNOWN_SIZES[True]

    def __init__(self, opset: int) -> None:
        from onnxscript import values

        self._op = values.Opset("", opset)
        self._graphs = 0  # the number of subgraphs so far

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        check_known(attributes.values())
        if any(isinstance(value, Body) for value in attributes.values()):
            return self._nesting(op_type, inputs, attributes, _outputs)
        outputs = getattr(self._op, op_type)(*inputs, **attributes)
        if not isinstance(outputs, list | tuple):
            return outputs
        # onnxscript returns all outputs of the op's schema.
        return outputs[0] if _outputs == 1 else outputs[:_outputs]

    def _nesting(
        self, op_type: str, inputs: Sequence[Any], bodies: Mapping[str, Body], outputs: int
    ) -> Any:
        from onnxscript import evaluator, ir

        recorder: Any = evaluator.default()
        graphs = [self._graph(recorder, name, body) for name, body in bodies.items()]
        attributes = [ir.AttrGraph(graph.name, graph) for graph in graphs]
        version = self._op.version
        node = ir.Node("", op_type, inputs, attributes, num_outputs=outputs, version=version)
        recorder.nodes.append(node)
        return node.outputs if outputs > 1 else node.outputs[0]

    def _graph(self, recorder: Any, name: str, body: Body) -> Any:
        from onnxscript import ir

        self._graphs += 1
        prefix = f"{name}_{self._graphs}"
        values = [
            ir.Value(type=ir.TensorType(ir.DataType[parameter]), shape=ir.Shape([]))
            if isinstance(parameter, str)
            else ir.Value(type=parameter.type)
            for parameter in body.parameters
        ]
        for place, value in enumerate(values):
            value.name = f"{prefix}_{place}"
        outer = recorder.nodes, recorder.constant_farm
        recorder.nodes, recorder.constant_farm = [], dict(recorder.constant_farm)
        try:
            results = body.write(*values)
        finally:
            written = recorder.nodes
            recorder.nodes, recorder.constant_farm = outer
        for place, value in enumerate(v for node in written for v in node.outputs):
            value.name = value.name or f"{prefix}_val_{place}"
        return ir.Graph(values, results, nodes=written, name=name)

    def known_sizes(self, tensor: Any) -> Sequence[Any] | None:
        return None if tensor.shape is None else [*map(_size, tensor.shape)]

    def dtype(self, tensor: Any) -> torch.dtype | None:
        return None if tensor.dtype is None else TORCH_TYPES.get(tensor.dtype.name)

    def cast(self, value: Any, to: torch.dtype) -> Any:
        from onnxscript import ir

        result = self.node("Cast", value, to=NUMBERS[to])
        result.dtype, result.shape = ir.DataType(NUMBERS[to]), value.shape
        return result

    def tensor(self, value: Any, kind: str | None) -> Any:
        from onnxscript import ir

        tensor: Any = ir.tensor(value, dtype=None if kind is None else ir.DataType[kind])
        result = self._op.Constant(value=tensor)
        result.dtype, result.shape = tensor.dtype, tensor.shape
        return result


def _size(size: Any) -> int | str | None:
    """Return a size of onnxscript: an integer, the symbol of a dynamic one, or None if it depends on values."""
    if isinstance(size, int):
        return size
    symbol = str(getattr(size, "value", size))
    return symbol if is_symbol(symbol) else None
