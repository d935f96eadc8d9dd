"""PyTorch's type promotion of integers and numbers, around mappings that keep dtypes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from typing import Any

import torch

from ...mapping.definitions import Definition, definition
from ...mapping.writing import Body
from ...operator.lists import items_of
from ...operator.model import Operator
from ..element_types import BY_NUMBER, TORCH_TYPES, is_integral, type_name
from .writer import Constant, ExporterWriter, Number

Arguments = dict[str, Any]
"""The arguments of a call by name: tensors of the exporter, and numbers."""
Rule = Callable[..., Any]
Writer = ExporterWriter[Any]
Dtype = torch.dtype | None
"""The dtype of a tensor, or None if the exporter does not know it."""


def promoted_rule(operator: Operator, opset: int) -> Rule:
    """Return the operator's rule at an opset; that of an existing operator computes in PyTorch's
    dtypes, and returns them. Raise ValueError if it has none there.
    """
    rule = operator.rule_at(opset)
    if rule is None:
        problem = f"{operator.name} has no mapping to standard nodes"
        raise ValueError(problem if operator.rule is None else f"{problem} at opset {opset}")
    if not operator.existing:
        return rule
    promotion = _Promotion(operator, opset)

    def write_promoted_nodes(writer: Writer, **arguments: object) -> object:
        return promotion.apply(rule, writer, arguments)

    return write_promoted_nodes


_MIXED = {
    "aten::isin": ["elements", "test_elements"],
    "aten::kron": ["self", "other"],
    "aten::searchsorted": ["sorted_sequence", "self"],
}
"""Operators without the pointwise tag whose tensors may have two dtypes: the names of these
tensors.
"""
_CONDITIONS = ("condition", "mask")
"""Boolean arguments of pointwise operators, which are not promoted."""


class _Promotion:
    """The dtypes in which an existing operator computes, and those of its results."""

    def __init__(self, operator: Operator, opset: int) -> None:
        self._operator, self._opset = operator, opset
        names = [tensor.name for tensor in operator.tensors if tensor.name not in _CONDITIONS]
        # Aliases such as aten::divide lack the pointwise tag.
        is_binary = bool(operator.scalar_overloads) and names == ["self", "other"]
        is_tagged = torch.Tag.pointwise in operator.schema_overload.tags
        mixed_names = _MIXED.get(operator.existing.partition(".")[0])
        self._is_pointwise = is_binary or is_tagged or mixed_names is not None
        self._names = mixed_names or names

    def apply(self, rule: Rule, writer: Writer, arguments: Arguments) -> Any:
        """Write the nodes of a call by the rule; return its results in PyTorch's dtypes."""
        tensors = self._promoted_tensors(arguments)
        dtypes = {writer.dtype(tensor) for tensor in tensors}
        is_mixed = self._is_pointwise and len(dtypes) > 1
        if None in dtypes or not (is_mixed or any(map(is_integral, dtypes))):
            return rule(writer, **arguments)
        fill = 1 if self._is_pointwise else 0
        result_dtypes = _result_dtypes(self._operator, writer, arguments, fill)
        first_result = result_dtypes[0] if result_dtypes else None
        if is_mixed:
            common = self._common_dtype(first_result, writer, tensors)
        else:
            common = _wider_dtype(first_result, dtypes)
        if common is not None:
            promoted = {name: _cast(writer, arguments[name], common) for name in self._names}
            arguments = arguments | promoted
        integers = _IntegerWriter(writer, self._opset)
        return _with_dtypes(integers, rule(integers, **arguments), result_dtypes)

    def _promoted_tensors(self, arguments: Arguments) -> list[object]:
        """Return the tensors that PyTorch promotes to one dtype."""
        values = items_of(arguments[name] for name in self._names)
        return [value for value in values if value is not None]

    def _common_dtype(self, result: Dtype, writer: Writer, tensors: Sequence[object]) -> Dtype:
        """Return the dtype in which PyTorch computes with tensors of several dtypes."""
        is_search = self._operator.existing.startswith("aten::searchsorted")
        if result == torch.bool or is_search:
            return _compared_in(writer, tensors)
        return result


def _wider_dtype(result: Dtype, dtypes: Collection[Dtype]) -> Dtype:
    """Return the dtype in which PyTorch computes integers, as for a mean or a sum; None if it is
    theirs.
    """
    if result is None or result in dtypes or not all(map(is_integral, dtypes)):
        return None
    return result if result.is_floating_point or result == torch.int64 else None


def _compared_in(writer: Writer, compared: Sequence[object]) -> torch.dtype:
    """Return the dtype in which PyTorch compares tensors. One of rank 0 counts only by a higher
    category.
    """
    examples: list[torch.Tensor] = []
    for tensor in compared:
        sizes = [1 for _ in writer.sizes(tensor)]
        examples.append(torch.ones(sizes, dtype=writer.dtype(tensor)))
    if len(examples) == 2:
        return torch.result_type(*examples)
    return reduce(torch.promote_types, (example.dtype for example in examples))


def _with_dtypes(writer: Writer, result: object, dtypes: Sequence[Dtype]) -> Any:
    """Return results in these dtypes, as far as they are known; a list as it is."""
    if not dtypes or isinstance(result, list):
        return result
    if isinstance(result, tuple):
        pairs = zip(result, dtypes, strict=True)
        return tuple(_cast(writer, value, dtype) for value, dtype in pairs)
    return _cast(writer, result, dtypes[0])


def _cast(writer: Writer, value: object, dtype: Dtype) -> Any:
    """Return a tensor or a list of tensors in a dtype; as it is if that or its own is unknown."""
    if isinstance(value, list):
        return [_cast(writer, item, dtype) for item in value]
    if value is None or dtype is None:
        return value
    return value if writer.dtype(value) in (dtype, None) else writer.cast(value, dtype)


# ---- Integers ----


_FLOAT_OPS = frozenset(("Floor", "Ceil", "Round", "IsNaN", "IsInf"))
"""Ops that PyTorch defines for integers, and ONNX does not."""


class _IntegerWriter(ExporterWriter[Any]):
    """Writes nodes of integers; casts types that an ONNX op does not take to int64 and back."""

    def __init__(self, writer: Writer, opset: int) -> None:
        self._writer, self._opset = writer, opset
        self.exporter, self.remedy_for_sizes = writer.exporter, writer.remedy_for_sizes
        self._result_dtypes: dict[int, tuple[Any, torch.dtype]] = {}

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        """Write a node whose inputs are cast to one dtype where PyTorch promotes them."""
        if any(isinstance(value, Body) for value in attributes.values()):
            return self._writer.node(op_type, *inputs, _outputs=_outputs, **attributes)
        dtypes = [None if value is None else self.dtype(value) for value in inputs]
        if dtypes and is_integral(dtypes[0]) and op_type in _FLOAT_OPS:
            return self._write_for_integers(op_type, inputs[0])
        op = definition(op_type, self._opset)
        assert op is not None  # rules are validated
        dtype_by_variable = _dtypes_of_variables(op, dtypes)
        widened = _widened_variables(op_type, op, dtype_by_variable)
        converted = [
            self._converted(value, op.input_at(index).type_str in widened)
            for index, value in enumerate(inputs)
        ]
        result = self._writer.node(op_type, *converted, _outputs=_outputs, **attributes)
        values = [result] if _outputs == 1 else list(result)
        for index, value in enumerate(values):
            variable = op.output_at(index).type_str
            dtype = dtype_by_variable.get(variable) or _only_dtype(op, index)
            if op_type == "Cast":
                dtype = BY_NUMBER[int(attributes["to"])]
            if variable in widened:
                self._result_dtypes[id(value)] = value, torch.int64
                values[index] = self.cast(value, dtype_by_variable[variable])
            elif dtype is not None:
                self._result_dtypes[id(value)] = value, dtype
        return values[0] if _outputs == 1 else values

    def _write_for_integers(self, op_type: str, value: object) -> Any:
        """Return the result of an op of `_FLOAT_OPS` for integers, which ONNX does not define."""
        if op_type in ("IsNaN", "IsInf"):
            return self.node("Not", self.node("Equal", value, value))
        return self.node("Identity", value)

    def _converted(self, value: object, is_widened: bool) -> Any:
        """Return an input, as int64 if the op does not take its type."""
        if value is None or not is_widened or self.dtype(value) == torch.int64:
            return value
        return self.cast(value, torch.int64)

    def dtype(self, tensor: object) -> Dtype:
        _, dtype_of_node = self._result_dtypes.get(id(tensor), (None, None))
        return dtype_of_node or self._writer.dtype(tensor)

    def tensor(self, value: Constant, element_type: str | None) -> Any:
        return self._writer.tensor(value, element_type)

    def number(self, value: object) -> Number | None:
        return self._writer.number(value)

    def cast(self, tensor: object, dtype: torch.dtype) -> Any:
        result = self._writer.cast(tensor, dtype)
        self._result_dtypes[id(result)] = result, dtype
        return result

    def known_sizes(self, tensor: object) -> Sequence[Any] | None:
        return self._writer.known_sizes(tensor)


def _dtypes_of_variables(op: Definition, dtypes: Sequence[Dtype]) -> dict[str, torch.dtype]:
    """Return the dtypes of an op's type variables, as its first input of each type has them."""
    dtype_by_variable: dict[str, torch.dtype] = {}
    for index, dtype in enumerate(dtypes):
        if dtype is not None:
            dtype_by_variable.setdefault(op.input_at(index).type_str, dtype)
    return dtype_by_variable


def _widened_variables(
    op_type: str, op: Definition, dtype_by_variable: Mapping[str, torch.dtype]
) -> set[str]:
    """Return the type variables of integers that an op takes as int64 only."""
    widened: set[str] = set()
    for variable, dtype in dtype_by_variable.items():
        taken = op.types.get(variable, ())
        if is_integral(dtype) and "INT64" in taken and not _is_taken(op_type, dtype, taken):
            widened.add(variable)
    return widened


def _is_taken(op_type: str, dtype: torch.dtype, types: Collection[str]) -> bool:
    """Return whether an op takes the dtype; ONNX Runtime has no Where of booleans."""
    return type_name(dtype) in types and (op_type, dtype) != ("Where", torch.bool)


def _only_dtype(op: Definition, index: int) -> Dtype:
    """Return the dtype of an op's output if it has no other."""
    output = op.output_at(index)
    if output.type_str in op.types:
        return None
    return TORCH_TYPES.get("".join(op.allowed(output)))


# ---- Numbers in place of tensors ----


def with_numbers_as_tensors(operator: Operator, writer: Writer, arguments: Arguments) -> Arguments:
    """Return the arguments, with numbers in place of tensors made tensors of the other tensors'
    dtype.
    """
    names = set().union(*operator.scalar_overloads.values())
    numbers = {name: writer.number(arguments[name]) for name in names}
    values = items_of(arguments[t.name] for t in operator.tensors if numbers.get(t.name) is None)
    tensors = [value for value in values if value is not None]
    if not tensors or all(number is None for number in numbers.values()):
        return arguments
    converted = dict(arguments)
    for name, number in numbers.items():
        if number is not None:
            like = _type_of_number(number, writer, tensors[0])
            converted[name] = writer.constant(number, like=like)
    return converted


def _type_of_number(number: Number, writer: Writer, tensor: object) -> Any:
    """Return what has the element type of a number beside a tensor: the tensor, or the name of a
    type.
    """
    dtype = writer.dtype(tensor)
    if isinstance(number, float) and is_integral(dtype):
        return "FLOAT"
    if dtype == torch.bool and not isinstance(number, bool):
        return "INT64"
    return tensor


# ---- Dtypes of results ----


def _result_dtypes(
    operator: Operator, writer: Writer, arguments: Arguments, fill: int
) -> list[Dtype]:
    """Return the dtypes of PyTorch's results, None for those that ONNX lacks. The operator runs on
    tensors of these dtypes and sizes, filled with ``fill``. Return [] if it fails, or if the call
    gives a dtype, which the rule reads itself.
    """
    if any(arguments[a.name] is not None for a in operator.scalars if a.base_type == "ScalarType"):
        return []
    values = dict.fromkeys(operator.always_none) | arguments
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for argument in operator.schema_arguments:
        value = values[argument.name]
        if argument.is_tensor:
            value = _example(writer, value, fill)
        if argument.keyword_only:
            kwargs[argument.name] = value
        else:
            args.append(value)
    try:
        with torch.no_grad():
            results = operator.schema_overload(*args, **kwargs)
    except Exception:  # noqa: BLE001 - depends on values, or on dynamic sizes
        return []
    tensors = results if isinstance(results, list | tuple) else [results]
    dtypes = [t.dtype if isinstance(t, torch.Tensor) else None for t in tensors]
    return [dtype if dtype in BY_NUMBER.values() else None for dtype in dtypes]


def _example(writer: Writer, value: object, fill: int) -> Any:
    """Return an example of a tensor or of a list of tensors; dynamic sizes are 1."""
    if value is None:
        return None
    if isinstance(value, list):
        return [_example(writer, item, fill) for item in value]
    sizes = [size if isinstance(size, int) else 1 for size in writer.sizes(value)]
    return torch.full(sizes, fill, dtype=writer.dtype(value))
