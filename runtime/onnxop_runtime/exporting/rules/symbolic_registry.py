"""The TorchScript exporter's registry: selects an operator's rule by name, opset and call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch.onnx import errors

from ...mapping.opsets import TORCHSCRIPT
from ...operator import registry
from ...operator.export_context import ExportContext, current_or_plain
from ...operator.model import Operator
from ...torch_internals import Symbolics, symbolic_helper
from ..torchscript_graph import GraphContext, overload_of
from .symbolics import write_nodes_of_call

register_symbolic: Any = torch.onnx.register_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
unregister_symbolic: Any = torch.onnx.unregister_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_symbolics = Symbolics()
_former_rules: dict[tuple[str, int], Callable[..., Any] | None] = {}
"""The names and opsets that this runtime has registered, with the rule that each had before."""


def add_symbolics(operator: Operator) -> None:
    """Register an operator's rule with the TorchScript exporter."""
    for target in operator.targets:
        for opset in TORCHSCRIPT:
            if (target, opset) not in _former_rules:
                _former_rules[target, opset] = _symbolics.overriding(target, opset)
                register_symbolic(target, _symbolic_for(target), opset)


def remove_unused_symbolics() -> None:
    """Restore the former rules of names without operators, except if others have registered
    since.
    """
    used = {target for operator in registry.operators() for target in operator.targets}
    for target, opset in [key for key in _former_rules if key[0] not in used]:
        former = _former_rules.pop((target, opset))
        if _symbolics.overriding(target, opset) is _symbolic_for(target):
            unregister_symbolic(target, opset)
            _symbolics.forget_empty(target)
            if former is not None:
                register_symbolic(target, former, opset)


@cache
def _symbolic_for(target: str) -> Callable[..., Any]:
    """Return the symbolic function for a name, which TorchScript uses for all overloads. It calls
    the rule of the first operator that the call means, else the former rule or PyTorch's, else any
    rule for the name.
    """

    def write_nodes_of_selected_operator(g: GraphContext, *values: Any, **keywords: Any) -> object:
        opset = g.opset
        context = current_or_plain(dynamo=False, opset=opset)
        operators = registry.operators(context.operators)
        candidates = [op for op in operators if _is_candidate(op, context, target, opset)]
        call = _Call(target, g.original_node, values)
        meant = [op for op in candidates if call.is_of(op, candidates)]
        if meant:
            registry.check_unique(meant[0], meant, context.operators)
            return write_nodes_of_call(meant[0], context, g, values, **keywords)
        # Looked up late: PyTorch registers its rules at its first export.
        former = _former_rules.get((target, opset)) or _symbolics.stock(target, opset)
        if former is not None:
            return former(g, *values, **keywords)
        if candidates:
            return write_nodes_of_call(candidates[0], context, g, values, **keywords)
        raise errors.UnsupportedOperatorError(target, opset, None)

    return write_nodes_of_selected_operator


def _is_candidate(operator: Operator, context: ExportContext, target: str, opset: int) -> bool:
    """Return whether an operator is a candidate for a name: at opsets of its rule; at others as a
    node of a custom domain, or to raise an error if PyTorch has no rule either.
    """
    if target not in operator.targets:
        return False
    if context.domain_of(operator) or (target == str(operator) and operator.is_own):
        return True
    if opset in operator.torchscript_opsets:
        return True
    return not _former_rules.get((target, opset)) and _symbolics.stock(target, opset) is None


class _Call:
    """A call that TorchScript converts by the rule of a name."""

    def __init__(self, target: str, node: torch.Node | None, values: Sequence[object]) -> None:
        self._values = values
        self._overload: str | None = None
        """The overload that the node calls, as ``aten::add.Tensor``, or None if that is unknown."""
        overload_name = None if node is None else overload_of(node)
        if node is not None and overload_name is not None:
            # TorchScript has other names than the dispatcher, except for Python's operators.
            name = node.kind() if node.kind().endswith("__") else target
            self._overload = f"{name}.{overload_name}"

    def is_of(self, operator: Operator, candidates: Sequence[Operator]) -> bool:
        """Return whether the node calls the operator's overload. If no candidate is that overload,
        a decomposed operator takes any, others those with numbers for tensors.
        """
        overload = self._overload
        if overload is None:
            return operator.is_decomposed or self._fits(operator)
        if overload in (operator.name, operator.existing):
            return True
        if operator.is_scalar_overload_of(overload) and self._fits(operator):
            # TorchScript makes constants of numbers, and finds the overload with tensors.
            return True
        if any(other.existing == overload for other in candidates if other is not operator):
            return False
        with_numbers = {scalar.name() for scalar in operator.scalar_overloads}
        return operator.is_decomposed or overload in with_numbers

    def _fits(self, operator: Operator) -> bool:
        """Return whether the operator's arguments may be these values, judged by their number and
        by which constants are lists. Numbers are constants; computed values are tensors.
        """
        arguments = operator.schema_arguments
        if len(self._values) != len(arguments):  # nodes list omitted arguments, too
            return False
        for argument, value in zip(arguments, self._values, strict=True):
            constant = symbolic_helper.constant_of(value, "t")
            if isinstance(constant, torch.Tensor):
                is_list = constant.dim() > 0
                if not argument.is_tensor and argument.is_list != is_list:
                    return False
            elif argument.base_type == "number" and not symbolic_helper.is_none(value):
                return False
        return True
