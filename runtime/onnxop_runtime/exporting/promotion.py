"""The dtypes that PyTorch computes in, and returns, where a mapping keeps those of its tensors: integers
become floats (``aten::copysign``), or int64 where they are summed, and numbers what they stand beside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ..operator.description import Operator
from ..operator.lists import items_of
from .writer import NUMBERS, Writer

Arguments = dict[str, Any]
Rule = Callable[..., Any]

_MIXED = {
    "aten::isin": ["elements", "test_elements"],
    "aten::kron": ["self", "other"],
    "aten::searchsorted": ["sorted_sequence", "self"],
}
"""Operators that take tensors of two dtypes, and are not called pointwise: these tensors."""
_CONDITIONS = ("condition", "mask")
"""What pointwise operators call truth values that stay such."""


def promoting(operator: Operator, rule: Rule) -> Rule:
    """Return the rule of an operator that exists, which is given tensors of the dtype that PyTorch computes
    in, and whose results are of those that it returns. Of floats alone, it is the rule as it is.
    """
    if not operator.existing:
        return rule
    names = [tensor.name for tensor in operator.tensors if tensor.name not in _CONDITIONS]
    # Aliases such as aten::divide have no tags.
    is_binary = bool(operator.numbered) and names == ["self", "other"]
    mixed = _MIXED.get(operator.existing.partition(".")[0])
    is_pointwise = is_binary or mixed is not None or torch.Tag.pointwise in operator.described.tags
    names = mixed or names

    def write(writer: Writer, **arguments: Any) -> Any:
        given = [
            value for value in items_of(arguments[name] for name in names) if value is not None
        ]
        dtypes = {writer.dtype(tensor) for tensor in given}
        is_mixed = is_pointwise and len(dtypes) > 1
        if None in dtypes or not (is_mixed or any(map(_is_integral, dtypes))):
            return rule(writer, **arguments)
        results = _results(operator, writer, arguments, 1 if is_pointwise else 0)
        to = results[0] if results else None
        if is_mixed and (to == torch.bool or operator.existing.startswith("aten::searchsorted")):
            to = _compared_in(writer, given)
        elif not is_mixed and not all(map(_is_integral, dtypes)):
            to = None
        elif _is_integral(to) and not is_mixed and not (is_pointwise and torch.bool in dtypes):
            to = torch.int64  # few of ONNX's nodes take truth values and small integers
        if to is not None:
            arguments |= {name: _cast(writer, arguments[name], to) for name in names}
        found = rule(_Integers(writer), **arguments)
        if not results or isinstance(found, list):
            return found
        if isinstance(found, tuple):
            return tuple(_cast(writer, *pair) for pair in zip(found, results, strict=True))
        return _cast(writer, found, results[0])

    return write


def _compared_in(writer: Writer, given: Sequence[Any]) -> torch.dtype:
    """Return the dtype in which two tensors are compared: one without dimensions has little say in it."""
    tensors = [torch.ones([1] * writer.rank(each), dtype=writer.dtype(each)) for each in given]
    return torch.result_type(*tensors)


class _Integers:
    """Writes nodes that ONNX has for floats alone as what they are for integers."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    def node(self, op_type: str, *inputs: Any, **options: Any) -> Any:
        write = self._writer
        if inputs and inputs[0] is not None and _is_integral(write.dtype(inputs[0])):
            if op_type in ("Floor", "Ceil", "Round"):
                return write.node("Identity", inputs[0])
            if op_type in ("IsNaN", "IsInf"):
                return write.node("Not", write.node("Equal", inputs[0], inputs[0]))
        return write.node(op_type, *inputs, **options)


def _is_integral(dtype: torch.dtype | None) -> bool:
    return dtype is not None and not (dtype.is_floating_point or dtype.is_complex)


def of_numbers(operator: Operator, writer: Writer, arguments: Arguments) -> Arguments:
    """Return the arguments with numbers that stand for tensors as tensors, of the dtype of those beside them."""
    names = set().union(*operator.numbered.values())
    numbers = {name: writer.number(arguments[name]) for name in names}
    tensors = [arguments[t.name] for t in operator.tensors if numbers.get(t.name) is None]
    if not tensors or all(number is None for number in numbers.values()):
        return arguments
    dtype = writer.dtype(tensors[0])
    found = dict(arguments)
    for name, number in numbers.items():
        if number is not None:
            like = tensors[0]
            if isinstance(number, float) and _is_integral(dtype):
                like = "FLOAT"
            elif dtype == torch.bool and not isinstance(number, bool):
                like = "INT64"
            found[name] = writer.constant(number, like=like)
    return found


def _results(
    operator: Operator, writer: Writer, arguments: Mapping[str, Any], fill: int
) -> Sequence[torch.dtype | None]:
    """Return the dtypes of what PyTorch returns for tensors of these dtypes and sizes, which hold one
    number, as far as ONNX has them; nothing where the call says it, which the rule looks at itself, or
    PyTorch does not.
    """
    if any(arguments[a.name] is not None for a in operator.scalars if a.kind == "ScalarType"):
        return []

    def asked(value: Any) -> Any:
        if value is None or isinstance(value, list):
            return value and [asked(item) for item in value]
        sizes = [size if isinstance(size, int) else 1 for size in writer.sizes(value)]
        return torch.full(sizes, fill, dtype=writer.dtype(value))

    held = dict.fromkeys(operator.held) | dict(arguments)
    values = [
        asked(held[argument.name]) if argument.is_tensor else held[argument.name]
        for argument in operator.schema_arguments
    ]
    count = sum(not argument.keyword_only for argument in operator.schema_arguments)
    words = [argument.name for argument in operator.schema_arguments[count:]]
    try:
        with torch.no_grad():
            found = operator.described(
                *values[:count], **dict(zip(words, values[count:], strict=True))
            )
    except Exception:  # noqa: BLE001 - whatever it asks of sizes that are open, or of values
        return []
    many = found if isinstance(found, list | tuple) else [found]
    dtypes = (each.dtype if isinstance(each, torch.Tensor) else None for each in many)
    return [dtype if dtype in NUMBERS else None for dtype in dtypes]


def _cast(writer: Writer, value: Any, to: torch.dtype | None) -> Any:
    if isinstance(value, list):
        return [_cast(writer, item, to) for item in value]
    if value is None or to is None or writer.dtype(value) == to:
        return value
    return writer.cast(value, to)
