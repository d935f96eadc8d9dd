"""The writer of a mapping's nodes for the TorchScript exporter."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import onnx
import torch

from ...mapping.placeholders import REMEDY_FOR_DTYPES
from ...mapping.writing import Body
from ...operator.export_context import KnownSizes, Size
from ...torch_internals import TensorType, Value, symbolic_helper
from ..element_types import NUMBERS, TORCH_TYPES
from ..exporter_names import NAMES, remedy_for_sizes
from ..numbers import check_known
from ..torchscript_graph import GraphContext, optional_input
from .writer import Constant, ExporterWriter, Number

_PROMOTED = frozenset(
    "Add Concat Div Equal Greater GreaterOrEqual Less LessOrEqual Max Min Mod Mul Pow Sub Where".split()
)
"""Ops whose inputs the TorchScript exporter promotes to one type, as PyTorch would."""

_Inputs = tuple[torch.Value | None, ...]
_Attributes = dict[str, Any]


class TorchScriptWriter(ExporterWriter[torch.Value]):
    """Writes nodes with ``g.op``, at the opset of the export."""

    exporter = NAMES[False]

    def __init__(
        self,
        g: GraphContext,
        opset: int,
        call_sizes: KnownSizes | None = None,
        *,
        can_be_dynamo: bool = True,
    ) -> None:
        self._g, self._opset, self._call_sizes = g, opset, call_sizes
        self.remedy_for_sizes = remedy_for_sizes(dynamo=False, can_be_dynamo=can_be_dynamo)

    def node(
        self, op_type: str, *inputs: torch.Value | None, _outputs: int = 1, **attributes: Any
    ) -> Any:
        """Write a node into the graph of the trace; return its output, or several."""
        check_known(attributes.values())
        if bodies := [value for value in attributes.values() if isinstance(value, Body)]:
            return self._with_bodies(op_type, inputs, bodies, _outputs)
        if op_type == "Constant":
            constant = self._constant_tensor(attributes)
            if constant is not None:
                return constant
        if op_type == "Shape" and (attributes.get("start") or attributes.get("end") is not None):
            return self._part_of_shape(inputs[0], **attributes)
        if op_type == "Squeeze" and (axes := self._several_axes(*inputs[1:2], **attributes)):
            return self._squeezed(inputs[0], axes)
        inputs, attributes = self._with_defaults(op_type, inputs, attributes)
        if op_type in _PROMOTED:
            inputs = self._with_float64_hidden(inputs)
        schema_attributes = onnx.defs.get_schema(op_type, self._opset).attributes
        named: _Attributes = {
            f"{name}_{schema_attributes[name].type.name[0].lower()}": value  # type: ignore[attr-defined,unused-ignore]
            for name, value in attributes.items()
            if value is not None
        }
        if _outputs > 1:
            named["outputs"] = _outputs
        return self._g.op(op_type, *(optional_input(self._g, value) for value in inputs), **named)

    def _several_axes(self, axes: torch.Value | None = None, **attributes: object) -> list[int]:
        """Return the axes of a Squeeze, if they are known, more than one, and all count from the
        same end.
        """
        numbers = (
            attributes.get("axes") if axes is None else symbolic_helper.constant_of(axes, "is")
        )
        if not isinstance(numbers, list | tuple) or len(numbers) < 2:
            return []
        count_from_one_end = min(numbers) >= 0 or max(numbers) < 0
        return [*numbers] if count_from_one_end else []

    def _squeezed(self, tensor: Any, axes: Sequence[int]) -> Any:
        """Write a Squeeze for each axis, the farthest first: of a constant, the exporter's constant
        folding removes the nearest axis first, and then takes the others for axes of the smaller
        tensor.
        """
        for axis in sorted(axes, key=abs, reverse=True):
            if self._opset < 13:
                tensor = self._g.op("Squeeze", tensor, axes_i=[axis])
            else:
                tensor = self._g.op("Squeeze", tensor, self.tensor([axis], "INT64"))
        return tensor

    def _constant_tensor(self, attributes: _Attributes) -> torch.Value | None:
        """Write a Constant of numbers as one of a tensor: the exporter reads the values of no
        others. Return None for another Constant.
        """
        name, value = next(iter(attributes.items()), ("", None))
        if not name.startswith(("value_float", "value_int")):
            return None
        dtype = torch.float32 if "float" in name else torch.int64
        constant: torch.Value = self._g.op("Constant", value_t=torch.tensor(value, dtype=dtype))
        return constant

    # ---- Nodes with bodies ----

    def _with_bodies(
        self, op_type: str, inputs: _Inputs, bodies: Sequence[Body], output_count: int
    ) -> Any:
        """Write a node with subgraphs, such as a Loop."""
        node_inputs: list[torch.Value] = []
        for value, parameter in itertools.zip_longest(inputs, bodies[0].parameters):
            is_scalar = isinstance(parameter, str)
            node_inputs.append(
                optional_input(self._g, self._as_scalar(value) if is_scalar else value)
            )
        written = self._g.op(op_type, *node_inputs, outputs=output_count)
        node = (written[0] if output_count > 1 else written).node()
        results_of_bodies = [self._write_block(node.addBlock(), body) for body in bodies]
        results = results_of_bodies[-1][-output_count:]  # the first of a Loop's is its condition
        for output, result in zip(node.outputs(), results, strict=True):
            output.setType(TensorType.get().with_dtype(result.type().dtype()))
        return written

    def _write_block(self, block: Any, body: Body) -> Sequence[torch.Value]:
        """Write the nodes of a body into a block; return its results."""
        outer: Any = self._g
        self._g = dataclasses.replace(outer, block=block)
        values = [block.addInputToBlock() for _ in body.parameters]
        for value, parameter in zip(values, body.parameters, strict=True):
            value.setType(_type_of_parameter(parameter))
        results = body.write_nodes(*values)
        self._g = outer
        for result in results:
            block.registerOutput(result)
        return results

    def _as_scalar(self, value: torch.Value | None) -> torch.Value | None:
        """Reshape to rank 0: the exporter gives a Loop's counter the sizes of its trip count."""
        if value is None or _sizes_of_type(value) == []:
            return value
        scalar: torch.Value = self._g.op("Reshape", value, self.tensor([], "INT64"))
        return scalar

    # ---- What the exporter's shape inference needs ----

    def _part_of_shape(
        self, tensor: torch.Value | None, start: int | None = None, end: int | None = None
    ) -> Any:
        """Write op.Shape of some dimensions: the exporter's shape inference ignores start and
        end.
        """
        last = torch.iinfo(torch.int64).max if end is None else end
        bounds = [self.tensor([bound], "INT64") for bound in (start or 0, last, 0)]
        return self.node("Slice", self.node("Shape", tensor), *bounds)

    def _with_defaults(
        self, op_type: str, inputs: _Inputs, attributes: _Attributes
    ) -> tuple[_Inputs, _Attributes]:
        """Return a node's parts, with defaults that the exporter's shape inference needs."""
        if op_type == "Transpose" and attributes.get("perm") is None:
            assert inputs[0] is not None  # a Transpose has an input
            return inputs, {"perm": list(reversed(range(len(self.sizes(inputs[0])))))}
        if op_type == "Slice" and len(inputs) > 2 and inputs[3:4] in ((), (None,)):
            return self._with_axes(inputs), attributes
        if op_type == "Reshape":
            return self._without_copied_zeros(*inputs, **attributes)
        return inputs, attributes

    def _with_axes(self, inputs: _Inputs) -> _Inputs:
        """Return the inputs of a Slice, with the axes that it leaves out."""
        starts = inputs[1]
        assert starts is not None  # a Slice has starts
        count = self.sizes(starts)[0]
        if not isinstance(count, int):
            raise ValueError(  # noqa: TRY004 - of the model
                "op.Slice has no axes, and the number of its starts is unknown; give it axes"
            )
        axes = self.constant(list(range(count)), like=starts)
        return (*inputs[:3], axes, *inputs[4:])

    def _without_copied_zeros(
        self, tensor: torch.Value | None, shape: torch.Value | None, **attributes: object
    ) -> tuple[_Inputs, _Attributes]:
        """Return the parts of a Reshape that copies no size of 0, by which the exporter's shape
        inference divides.
        """
        assert tensor is not None  # a Reshape has both inputs
        unchanged = (tensor, shape), attributes
        new_sizes, sizes = symbolic_helper.constant_of(shape, "is"), _sizes_of_type(tensor)
        if not isinstance(new_sizes, list) and 0 in (sizes or []) and self._opset >= 12:
            hidden = self.node("Max", shape, shape)  # shape inference stops here
            return (tensor, hidden), attributes
        if not isinstance(new_sizes, list) or attributes.get("allowzero"):
            return unchanged
        if 0 in new_sizes and -1 not in new_sizes and 0 not in (sizes or []):
            return (tensor, self._without_only_zeros(tensor, shape, new_sizes)), attributes
        if sizes is None:
            return unchanged
        pairs = itertools.zip_longest(new_sizes, sizes[: len(new_sizes)])
        copied = [copied_size if size == 0 else size for size, copied_size in pairs]
        if 0 not in copied:
            return unchanged
        if -1 in copied or None in copied or self._opset < 14:  # allowzero came in 14
            raise ValueError(
                f"the operator reshapes a tensor of sizes {sizes}, without elements, to "
                f"{new_sizes}, "
                "which ONNX cannot express; export it with a tensor that has elements"
            )
        return (tensor, self.tensor(copied, "INT64")), {"allowzero": 1}

    def _without_only_zeros(
        self, tensor: torch.Value, shape: torch.Value | None, new_sizes: Sequence[int]
    ) -> torch.Value | None:
        """Return a shape that copies sizes and infers none, for the exporter's shape inference,
        which asserts that there is a -1: write known sizes, and infer the one that is left or, of
        several, hide the shape.
        """
        sizes = self.known_sizes(tensor) or ()
        filled = [*new_sizes]
        for index, size in enumerate(sizes[: len(new_sizes)]):
            if new_sizes[index] == 0 and isinstance(size, int):
                filled[index] = size
        if filled.count(0) < 2:
            return self.tensor([size or -1 for size in filled], "INT64")
        hidden: torch.Value | None = shape
        if self._opset >= 12:  # Max takes integers
            hidden = self.node("Max", shape, shape)
        return hidden

    def _with_float64_hidden(self, inputs: _Inputs) -> _Inputs:
        """Hide a float64 number behind an Identity: the exporter would make it float32."""
        types: list[Any] = [None if value is None else value.type() for value in inputs]
        if any(value_type is None or value_type.dim() != 0 for value_type in types):
            return inputs
        for index, value in enumerate(inputs):
            assert value is not None  # has a type
            if types[index].dtype() != torch.float64 or value.node().kind() == "onnx::Constant":
                continue
            identity: torch.Value = self._g.op("Identity", value)
            identity.setType(TensorType.get().with_dtype(torch.float64))
            return (*inputs[:index], identity, *inputs[index + 1 :])
        return inputs

    # ---- Types, sizes, numbers ----

    def known_sizes(self, tensor: torch.Value) -> Sequence[Size] | None:
        traced = None if self._call_sizes is None else self._call_sizes.sizes_of(tensor)
        if traced is not None:
            return traced
        sizes = _sizes_of_type(tensor)
        is_input = tensor.node().kind() == "prim::Param"
        if sizes is None or not is_input:
            return sizes
        return ["dynamic" if size is None else size for size in sizes]

    def dtype(self, tensor: torch.Value) -> torch.dtype | None:
        value_type: Any = tensor.type()
        return value_type.dtype() if isinstance(value_type, TensorType) else None

    def cast(self, tensor: torch.Value, dtype: torch.dtype) -> torch.Value:
        result: torch.Value = self.node("Cast", tensor, to=NUMBERS[dtype])
        return result

    def number(self, value: torch.Value | Number | None) -> Number | None:
        if not isinstance(value, Value):
            return super().number(value)
        constant = symbolic_helper.constant_of(value, "t")
        is_number = isinstance(constant, torch.Tensor) and constant.dim() == 0
        return super().number(constant.item()) if is_number else None

    def tensor(self, value: Constant, element_type: str | None) -> torch.Value:
        if element_type not in TORCH_TYPES:
            described = f"the element type {element_type}"
            if not element_type:
                described = f"an unknown element type; {REMEDY_FOR_DTYPES}"
            raise ValueError(f"the exporter cannot write {value} in {described}")
        tensor = torch.tensor(value, dtype=TORCH_TYPES[element_type])
        constant: torch.Value = self._g.op("Constant", value_t=tensor)
        return constant


def _sizes_of_type(value: torch.Value) -> list[int | None] | None:
    """Return the sizes in the type of a tensor; None if its rank is unknown."""
    value_type: Any = value.type()
    sizes: list[int | None] | None = value_type.varyingSizes()
    return sizes


def _type_of_parameter(parameter: str | torch.Value) -> object:
    """Return the type of a body's input: of a scalar by its element type, or the type of a
    tensor.
    """
    if isinstance(parameter, str):
        return TensorType.get().with_dtype(TORCH_TYPES[parameter]).with_sizes([])
    value_type: Any = parameter.type()
    return TensorType.get().with_dtype(value_type.dtype())
