"""PyTorch's type promotion of integers and numbers, around mappings that keep dtypes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from typing import Any

import torch

from ...mapping.definitions import definition
from ...mapping.writing import Body
from ...operator.lists import items_of
from ...operator.model import Operator
from .writer import BY_NUMBER, TORCH_TYPES, Writer, kind_of

Arguments = dict[str, Any]
Rule = Callable[..., Any]


def promoted_rule(operator: Operator, opset: int) -> Rule:
    """Return the operator's rule at an opset, which computes in PyTorch's dtypes and returns them. Raise
    ValueError if it has none there.
    """
    rule = operator.rule_at(opset)
    if rule is not None:
        return promoting(operator, rule, opset)
    problem = f"{operator.name} has no mapping to standard nodes"
    raise ValueError(problem if operator.rule is None else f"{problem} at opset {opset}")


def promoting(operator: Operator, rule: Rule, opset: int) -> Rule:
    """Wrap an existing operator's rule so that it computes in PyTorch's dtypes and returns them."""
    if not operator.existing:
        return rule

    names = [tensor.name for tensor in operator.tensors if tensor.name not in _CONDITIONS]
    # Aliases such as aten::divide lack the pointwise tag.
    is_binary = bool(operator.scalar_overloads) and names == ["self", "other"]
    mixed = _MIXED.get(operator.existing.partition(".")[0])
    is_pointwise = (
        is_binary or mixed is not None or torch.Tag.pointwise in operator.schema_overload.tags
    )
    names = mixed or names

    def write(writer: Writer, **arguments: Any) -> Any:
        tensors = [v for v in items_of(arguments[name] for name in names) if v is not None]
        dtypes = {writer.dtype(tensor) for tensor in tensors}
        is_mixed = is_pointwise and len(dtypes) > 1
        if None in dtypes or not (is_mixed or any(map(_is_integral, dtypes))):
            return rule(writer, **arguments)
        result_dtypes = _result_dtypes(operator, writer, arguments, 1 if is_pointwise else 0)
        to = result_dtypes[0] if result_dtypes else None
        if is_mixed and (to == torch.bool or operator.existing.startswith("aten::searchsorted")):
            to = _compared_in(writer, tensors)
        elif not is_mixed and not (all(map(_is_integral, dtypes)) and _is_wider(to, dtypes)):
            to = None
        if to is not None:
            arguments |= {name: _cast(writer, arguments[name], to) for name in names}
        writer = _Integers(writer, opset)
        result = rule(writer, **arguments)
        if not result_dtypes or isinstance(result, list):
            return result
        if isinstance(result, tuple):
            pairs = zip(result, result_dtypes, strict=True)
            return tuple(_cast(writer, value, to) for value, to in pairs)
        return _cast(writer, result, result_dtypes[0])

    return write


_MIXED = {
    "aten::isin": ["elements", "test_elements"],
    "aten::kron": ["self", "other"],
    "aten::searchsorted": ["sorted_sequence", "self"],
}
"""Operators without the pointwise tag whose tensors may have two dtypes: the names of these tensors."""
_CONDITIONS = ("condition", "mask")
"""Boolean arguments of pointwise operators, which are not promoted."""


def _is_wider(to: torch.dtype | None, dtypes: Collection[torch.dtype | None]) -> bool:
    """Return whether PyTorch computes integers of these dtypes in another dtype, as for a mean or a sum."""
    return to is not None and to not in dtypes and (to.is_floating_point or to == torch.int64)


def _compared_in(writer: Writer, compared: Sequence[Any]) -> torch.dtype:
    """Return the dtype in which PyTorch compares tensors. One of rank 0 counts only by a higher category."""
    tensors = [torch.ones([1] * len(writer.sizes(t)), dtype=writer.dtype(t)) for t in compared]
    if len(tensors) == 2:
        return torch.result_type(*tensors)
    return reduce(torch.promote_types, (tensor.dtype for tensor in tensors))


class _Integers(Writer):
    """Writes nodes of integers; casts types that an ONNX op does not take to int64 and back."""

    def __init__(self, writer: Writer, opset: int) -> None:
        self._writer, self._opset = writer, opset
        self.exporter, self.remedy_for_sizes = writer.exporter, writer.remedy_for_sizes
        self._known: dict[int, tuple[Any, torch.dtype]] = {}

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        if any(isinstance(value, Body) for value in attributes.values()):
            return self._writer.node(op_type, *inputs, _outputs=_outputs, **attributes)
        dtypes = [None if value is None else self.dtype(value) for value in inputs]
        if dtypes and _is_integral(dtypes[0]):
            if op_type in ("Floor", "Ceil", "Round"):
                return self.node("Identity", *inputs)
            if op_type in ("IsNaN", "IsInf"):
                return self.node("Not", self.node("Equal", inputs[0], inputs[0]))
        op = definition(op_type, self._opset)
        assert op is not None  # rules are validated
        takes, ports = op.types, [op.input_at(place) for place in range(len(inputs))]
        dtype_by_variable: dict[str, torch.dtype] = {}
        for port, dtype in zip(ports, dtypes, strict=True):
            if dtype is not None:
                dtype_by_variable.setdefault(port.type_str, dtype)
        wider = {
            kind
            for kind, dtype in dtype_by_variable.items()
            if _is_integral(dtype) and kind in takes and not _takes(op_type, dtype, takes[kind])
        } - {kind for kind in takes if "INT64" not in takes[kind]}
        converted = [
            self.cast(value, torch.int64)
            if port.type_str in wider and dtype != torch.int64 and value is not None
            else value
            for port, value, dtype in zip(ports, inputs, dtypes, strict=True)
        ]
        result = self._writer.node(op_type, *converted, _outputs=_outputs, **attributes)
        values = [result] if _outputs == 1 else list(result)
        for place, value in enumerate(values):
            kind = op.output_at(place).type_str
            only_type = "" if kind in takes else "".join(op.allowed(op.output_at(place)))
            dtype = dtype_by_variable.get(kind) or TORCH_TYPES.get(only_type)
            if op_type == "Cast":
                dtype = BY_NUMBER[int(attributes["to"])]
            if dtype is not None:
                self._known[id(value)] = value, torch.int64 if kind in wider else dtype
            if kind in wider:
                values[place] = self.cast(value, dtype_by_variable[kind])
        return values[0] if _outputs == 1 else values

    def dtype(self, tensor: Any) -> torch.dtype | None:
        _, known = self._known.get(id(tensor), (None, None))
        return known or self._writer.dtype(tensor)

    def tensor(self, value: Any, kind: str | None) -> Any:
        return self._writer.tensor(value, kind)

    def number(self, value: Any) -> int | float | None:
        return self._writer.number(value)

    def cast(self, value: Any, to: torch.dtype) -> Any:
        result = self._writer.cast(value, to)
        self._known[id(result)] = result, to
        return result

    def known_sizes(self, tensor: Any) -> Sequence[Any] | None:
        return self._writer.known_sizes(tensor)


def _takes(op_type: str, dtype: torch.dtype, types: Collection[str]) -> bool:
    """Return whether an op takes the dtype; ONNX Runtime has no Where of booleans."""
    return kind_of(dtype) in types and (op_type, dtype) != ("Where", torch.bool)


def _is_integral(dtype: torch.dtype | None) -> bool:
    return dtype is not None and not (dtype.is_floating_point or dtype.is_complex)


def of_numbers(operator: Operator, writer: Writer, arguments: Arguments) -> Arguments:
    """Return the arguments, with numbers in place of tensors made tensors of the other tensors' dtype."""
    names = set().union(*operator.scalar_overloads.values())
    numbers = {name: writer.number(arguments[name]) for name in names}
    values = items_of(arguments[t.name] for t in operator.tensors if numbers.get(t.name) is None)
    tensors = [value for value in values if value is not None]
    if not tensors or all(number is None for number in numbers.values()):
        return arguments
    dtype = writer.dtype(tensors[0])
    converted = dict(arguments)
    for name, number in numbers.items():
        if number is not None:
            like = tensors[0]
            if isinstance(number, float) and _is_integral(dtype):
                like = "FLOAT"
            elif dtype == torch.bool and not isinstance(number, bool):
                like = "INT64"
            converted[name] = writer.constant(number, like=like)
    return converted


def _result_dtypes(
    operator: Operator, writer: Writer, arguments: Mapping[str, Any], fill: int
) -> Sequence[torch.dtype | None]:
    """Return the dtypes of PyTorch's results, None for those that ONNX lacks. The operator runs on tensors of
    these dtypes and sizes, filled with ``fill``. Return [] if it fails, or if the call gives a dtype, which
    the rule reads itself.
    """
    if any(arguments[a.name] is not None for a in operator.scalars if a.kind == "ScalarType"):
        return []

    def example(value: Any) -> Any:
        if value is None or isinstance(value, list):
            return value and [example(item) for item in value]
        sizes = [size if isinstance(size, int) else 1 for size in writer.sizes(value)]
        return torch.full(sizes, fill, dtype=writer.dtype(value))

    by_name = dict.fromkeys(operator.always_none) | dict(arguments)
    values = [
        example(by_name[argument.name]) if argument.is_tensor else by_name[argument.name]
        for argument in operator.schema_arguments
    ]
    count = sum(not argument.keyword_only for argument in operator.schema_arguments)
    keywords = [argument.name for argument in operator.schema_arguments[count:]]
    try:
        with torch.no_grad():
            results = operator.schema_overload(
                *values[:count], **dict(zip(keywords, values[count:], strict=True))
            )
    except Exception:  # noqa: BLE001 - depends on values, or on dynamic sizes
        return []
    tensors = results if isinstance(results, list | tuple) else [results]
    dtypes = (t.dtype if isinstance(t, torch.Tensor) else None for t in tensors)
    return [dtype if dtype in BY_NUMBER.values() else None for dtype in dtypes]


def _cast(writer: Writer, value: Any, to: torch.dtype | None) -> Any:
    if isinstance(value, list):
        return [_cast(writer, item, to) for item in value]
    dtype = None if value is None else writer.dtype(value)
    return value if to is None or dtype in (to, None) else writer.cast(value, to)
