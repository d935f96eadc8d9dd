"""``//`` of sizes that may be negative → nodes that divide as Python does. PyTorch's exporters
write a quotient that is rounded to zero: -1 for ``-7 // 4``, which is -2.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from ...torch_internals import get_value_trace
from ..rules.onnxscript_writer import OnnxscriptWriter
from ..rules.translations import Table

if TYPE_CHECKING:
    from onnxscript import ir

_SIZES = frozenset(("Shape", "Size", "aten::size", "aten::numel"))  # nodes of what is at least 0
_DIFFERENCES = frozenset(("Neg", "Sub", "aten::neg", "aten::sub", "aten::rsub"))


def dynamo_rule(opset: int) -> Table:
    """Return the dynamo exporter's rule at an opset."""
    writer: Any = OnnxscriptWriter(opset)

    def floor_divide(dividend: Any, divisor: Any) -> object:
        if _may_be_negative(dividend) or _may_be_negative(divisor):
            remainder = writer.node("Mod", dividend, divisor)  # has the sign of the divisor
            dividend = writer.node("Sub", dividend, remainder)
        return writer.node("Div", dividend, divisor)

    return {operator.floordiv: floor_divide}


def in_trace(
    _original: Callable[..., Any], dividend: Any, divisor: Any, **kwargs: object
) -> object:
    """Return a quotient of integers in a trace, if one of them may be negative; else
    NotImplemented, for the original function. The TorchScript exporter's rule for
    `torch.floor_divide` is wrong.
    """
    if kwargs or not (_is_integral(dividend) and _is_integral(divisor)):
        return NotImplemented
    if not (_may_be_negative_in_trace(dividend) or _may_be_negative_in_trace(divisor)):
        return NotImplemented
    first = dividend if isinstance(dividend, torch.Tensor) else torch.tensor(dividend)
    return torch.div(first, divisor, rounding_mode="floor")


def _is_integral(value: object) -> bool:
    if isinstance(value, torch.Tensor):
        return not value.is_floating_point() and not value.is_complex()
    return isinstance(value, int)


def _may_be_negative(value: ir.Value | int) -> bool:
    """Return whether an integer of a graph may be negative: a difference, or a negative number, or
    computed of such ones. What inputs of the model hold counts as not negative.
    """
    if isinstance(value, int):
        return value < 0
    pending, seen = [value], set[int]()
    while pending:
        value = pending.pop()
        node = value.producer()
        if id(value) in seen or (node is not None and node.op_type in _SIZES):
            continue
        seen.add(id(value))
        number = value.const_value
        is_negative = number is not None and number.size == 1 and bool((number.numpy() < 0).any())
        if is_negative or (node is not None and node.op_type in _DIFFERENCES):
            return True
        if node is not None:
            pending += [value for value in node.inputs if value is not None]
    return False


def _may_be_negative_in_trace(value: torch.Tensor | int) -> bool:
    """Return whether an integer of a trace may be negative; those of the model's inputs may be."""
    if isinstance(value, int):
        return value < 0
    pending, seen = [get_value_trace(value)], set[int]()
    while pending:
        traced = pending.pop()
        node, unique = traced.node(), traced.unique()
        if unique in seen or node.kind() in _SIZES:
            continue
        seen.add(unique)
        if node.kind() in (*_DIFFERENCES, "prim::Param"):
            return True
        constant = traced.toIValue() if node.kind() == "prim::Constant" else None
        if _is_negative(constant):
            return True
        pending += node.inputs()
    return False


def _is_negative(constant: object) -> bool:
    if isinstance(constant, torch.Tensor):
        return constant.dtype != torch.bool and bool((constant < 0).any())
    return isinstance(constant, int) and constant < 0
