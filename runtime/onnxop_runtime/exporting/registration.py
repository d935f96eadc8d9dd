"""The TorchScript exporter's registry: selects an operator's rule by name, opset and call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch.onnx import errors

from ..mapping.opsets import TORCHSCRIPT
from ..operator import registry
from ..operator.export_context import ExportContext, current_or_plain
from ..operator.model import Operator
from ..torch_internals import Symbolics, symbolic_helper
from .call import plain_export as plain
from .rules import decomposed
from .rules.symbolics import write_call

_register: Any = torch.onnx.register_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_unregister: Any = torch.onnx.unregister_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_symbolics = Symbolics()
_before: dict[tuple[str, int], Callable[..., Any] | None] = {}
"""The names and opsets that this runtime has registered, with the rule that each had before."""


def register(operator: Operator) -> None:
    """Register an operator's rule with the TorchScript exporter."""
    registry.add(operator)
    plain.use_rules()
    for target in operator.targets:
        for opset in TORCHSCRIPT:
            if (target, opset) not in _before:
                _before[target, opset] = _symbolics.overriding(target, opset)
                _register(target, _dispatching(target), opset)


def unregister(operators: Sequence[Operator]) -> None:
    """Remove operators; restore the former rules, except if others have registered since."""
    registry.remove(operators)
    remaining = {target for operator in registry.operators() for target in operator.targets}
    for target, opset in [key for key in _before if key[0] not in remaining]:
        before = _before.pop((target, opset))
        if _symbolics.overriding(target, opset) is _dispatching(target):
            _unregister(target, opset)
            _symbolics.forget_empty(target)
            if before is not None:
                _register(target, before, opset)


@cache
def _dispatching(target: str) -> Callable[..., Any]:
    """Return the symbolic function for a name, which TorchScript uses for all overloads. It calls the rule of
    the first operator that the call means, else the former rule or PyTorch's, else any rule for the name.
    """

    def write(g: Any, *values: Any, **keywords: Any) -> Any:
        node, opset = g.original_node, g.opset
        context = current_or_plain(dynamo=False, opset=opset)
        operators = registry.operators(context.operators)
        candidates = [op for op in operators if _is_candidate(op, context, target, opset)]
        meant = [op for op in candidates if _is_meant(op, candidates, target, node, values)]
        if meant:
            registry.check_unique(meant[0], meant, context.operators)
            return write_call(meant[0], context, g, values, **keywords)
        # Looked up late: PyTorch registers its rules at its first export.
        former = _before.get((target, opset)) or _symbolics.stock(target, opset)
        if former is not None:
            return former(g, *values, **keywords)
        if candidates:
            return write_call(candidates[0], context, g, values, **keywords)
        raise errors.UnsupportedOperatorError(target, opset, None)

    return write


def _is_candidate(operator: Operator, context: ExportContext, target: str, opset: int) -> bool:
    """Return whether an operator is a candidate for a name: at opsets of its rule; at others as a node of a
    custom domain, or to raise an error if PyTorch has no rule either.
    """
    if target not in operator.targets:
        return False
    if context.domain_of(operator) or (target == str(operator) and operator.is_own):
        return True
    if opset in operator.torchscript:
        return True
    return not _before.get((target, opset)) and _symbolics.stock(target, opset) is None


def _is_meant(
    operator: Operator, rivals: Sequence[Operator], target: str, node: Any, values: Sequence[Any]
) -> bool:
    """Return whether the node calls the operator's overload. If no candidate is that overload, a decomposed
    operator takes any, others those with numbers for tensors.
    """
    overload_name = None if node is None else decomposed.overload_of(node)
    if overload_name is None:
        return operator.is_decomposed or _takes(operator, values)
    called = f"{node.kind() if node.kind().endswith('__') else target}.{overload_name}"
    if called in (operator.name, operator.existing):
        return True
    if operator.is_scalar_overload_of(called) and _takes(operator, values):
        return True  # TorchScript makes constants of numbers, and finds the overload with tensors
    numbered = {overload.name() for overload in operator.scalar_overloads}
    others = (other.existing for other in rivals if other is not operator)
    return (operator.is_decomposed or called in numbered) and called not in others


def _takes(operator: Operator, values: Sequence[Any]) -> bool:
    """Return whether the operator's arguments may be these values, judged by their number and by which
    constants are lists. Numbers are constants; computed values are tensors.
    """
    arguments = operator.schema_arguments
    if len(values) != len(arguments):  # nodes list omitted arguments, too
        return False
    for argument, value in zip(arguments, values, strict=True):
        number = symbolic_helper.constant_of(value, "t")
        is_number = isinstance(number, torch.Tensor) and not argument.is_tensor
        if argument.kind == "number" and not is_number and not symbolic_helper.is_none(value):
            return False
        if is_number and argument.is_list != (number.dim() > 0):
            return False
    return True
