"""An operator as one node of a domain, as each exporter writes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ...model_nodes import VERSION
from ...operator.model import Operator
from ...torch_internals import TensorType
from ..element_types import TORCH_TYPES
from ..numbers import as_written, check_known
from ..torchscript_graph import GraphContext, optional_input
from .function_bodies import EXACT, input_names
from .onnxscript_ops import onnxscript_op

Arguments = Mapping[str, Any]
"""The arguments of a call by name: tensors of the exporter, and numbers."""


def write_node_by_torchscript(
    operator: Operator, g: GraphContext, domain: str, arguments: Arguments
) -> object:
    """Write the node with the TorchScript exporter; return its results."""
    values = operator.spread([arguments[tensor.name] for tensor in operator.tensors])
    while values and values[-1] is None:
        values.pop()
    attributes: dict[str, Any] = {}
    for scalar in operator.scalars:
        value = _attribute_value(arguments[scalar.name])
        if value is not None:
            attributes[f"{scalar.name}_{scalar.attribute(value)[0].lower()}"] = value
    if operator.version > 1:
        attributes[f"{VERSION}_i"] = operator.version
    types = [value.type() for value in values if value is not None]
    dtypes = [tensor_type.dtype() for tensor_type in types if isinstance(tensor_type, TensorType)]
    for name, text in _exact_floats(operator, arguments, dtypes).items():
        attributes[f"{name}_s"] = text
    count = len(operator.results)
    inputs = [optional_input(g, value) for value in values]
    outputs = g.op(f"{domain}::{operator.op_type}", *inputs, **attributes, outputs=count)
    if g.original_node is not None:  # in a Function's symbolic, torch sets the types itself
        _set_types([outputs] if count == 1 else outputs, g.original_node)
    return outputs


def _set_types(outputs: Sequence[torch.Value], original_node: torch.Node) -> None:
    """Set the types of a node's outputs as those in the trace, with the rank but without the
    sizes.
    """
    for output, original in zip(outputs, original_node.outputs(), strict=True):
        traced_type: Any = original.type()
        if isinstance(traced_type, TensorType) and traced_type.dim() is not None:
            unknown_sizes = [None for _ in range(traced_type.dim())]
            output.setType(traced_type.with_sizes(unknown_sizes))


def _attribute_value(value: object) -> object:
    """Return a value as an attribute: ONNX has integers for booleans."""
    check_known([value])
    if isinstance(value, list | tuple):
        return [_attribute_value(item) for item in value]
    return int(value) if isinstance(value, bool) else value


def _exact_floats(
    operator: Operator, arguments: Arguments, dtypes: Iterable[torch.dtype | None]
) -> dict[str, str]:
    """Return attributes that hold floats as text, if the float32 attribute of the node rounds them.
    Not needed if the tensors are float32 or less, for which PyTorch rounds in the same way.
    """
    floats = {dtype for dtype in dtypes if dtype is None or dtype.is_floating_point}
    if floats and floats <= {torch.float32, torch.float16, torch.bfloat16}:
        return {}
    attributes: dict[str, str] = {}
    for scalar in operator.scalars:
        value = arguments[scalar.name]
        if value is None or not scalar.attribute(value).startswith("FLOAT"):
            continue
        items = np.atleast_1d(np.asarray(value, np.float64))
        if _is_rounded(items):
            attributes[EXACT + scalar.name] = " ".join(map(repr, items.tolist()))
    return attributes


def _is_rounded(items: npt.NDArray[np.float64]) -> bool:
    """Return whether the kernel, which gets float32, or the function body computes with other
    floats.
    """
    with np.errstate(over="ignore"):
        kernel_items = items.astype(np.float32)
    function_items = as_written(items.tolist())
    is_same = np.array_equal(kernel_items, items, equal_nan=True)
    return not (is_same and np.array_equal(function_items, items, equal_nan=True))


def write_node_by_dynamo(operator: Operator, domain: str, arguments: Arguments) -> Any:
    """Write the node with the dynamo exporter; return its results."""
    inputs = operator.spread([arguments[tensor.name] for tensor in operator.tensors])
    attributes = {s.name: _attribute_value(arguments[s.name]) for s in operator.scalars}
    attributes[VERSION] = operator.version if operator.version > 1 else None
    dtypes = [value.dtype for value in inputs if value is not None]
    torch_types = [None if dtype is None else TORCH_TYPES.get(dtype.name) for dtype in dtypes]
    attributes |= _exact_floats(operator, arguments, torch_types)
    types = tuple(scalar.attribute(arguments[scalar.name]) for scalar in operator.scalars)
    op = _op_of(operator, domain, types, len(inputs))
    # By position: an input named self cannot be a keyword.
    return op(*inputs, *(attributes.get(name) for name in op.op_schema.attributes))


@cache
def _op_of(
    operator: Operator, domain: str, attribute_types: tuple[str, ...], input_count: int
) -> Any:
    """Return the op for so many inputs. Each tensor of a list is an input of its own, since
    onnxscript writes the inputs before a variadic one twice.
    """
    required = {tensor.name for tensor in operator.tensors if not tensor.is_optional}
    inputs = [(name, name in required) for name in input_names(operator, input_count)]
    names = [scalar.name for scalar in operator.scalars]
    attributes = [*zip(names, attribute_types, strict=True), (VERSION, "INT")]
    attributes += [(EXACT + name, "STRING") for name in names]
    version = operator.version
    return onnxscript_op(domain, operator.op_type, version, inputs, operator.results, attributes)
