"""The TorchScript exporter's registry: which operator's rule it is given for a name, an opset and a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch.onnx import errors

from .. import registry
from ..mapping.opsets import TORCHSCRIPT
from ..operator.description import Operator
from ..registry import domain_of
from ..torch_internals import Symbolics, symbolic_helper
from . import decomposed
from .rules import symbolic

_register: Any = torch.onnx.register_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_unregister: Any = torch.onnx.unregister_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_symbolics = Symbolics()
_before: dict[tuple[str, int], Callable[..., Any] | None] = {}
"""The names and opsets that the TorchScript exporter asks this runtime for, and what it had before."""


def register(operator: Operator) -> None:
    """Register an operator, for which the TorchScript exporter asks this runtime from now on."""
    registry.add(operator)
    for target in operator.targets:
        for opset in TORCHSCRIPT:
            if (target, opset) not in _before:
                _before[target, opset] = _symbolics.overriding(target, opset)
                _register(target, _dispatching(target), opset)


def unregister(operators: Sequence[Operator]) -> None:
    """Forget operators; the TorchScript exporter has what it had before, and what others have registered
    since.
    """
    registry.remove(operators)
    left = {target for operator in registry.operators() for target in operator.targets}
    for target, opset in [asked for asked in _before if asked[0] not in left]:
        before = _before.pop((target, opset))
        if _symbolics.overriding(target, opset) is _dispatching(target):
            _unregister(target, opset)
            _symbolics.forget_empty(target)
            if before is not None:
                _register(target, before, opset)


@cache
def _dispatching(target: str) -> Callable[..., Any]:
    """Return the symbolic of a name, of which TorchScript asks for every overload: that of the first
    operator that the call means; what was there before for other overloads, be it PyTorch's; and the
    operator's where nothing was.
    """

    def write(g: Any, *values: Any, **words: Any) -> Any:
        node, opset = g.original_node, g.opset
        held = [each for each in registry.operators() if _holds(each, target, opset)]
        for operator in held:
            if _is_meant(operator, held, target, node, values):
                return symbolic(operator)(g, *values, **words)
        # PyTorch registers its own rules when it exports for the first time.
        other = _before.get((target, opset)) or _symbolics.stock(target, opset)
        other = other or (symbolic(held[0]) if held else None)
        if other is None:
            raise errors.UnsupportedOperatorError(target, opset, None)
        return other(g, *values, **words)

    return write


def _holds(operator: Operator, target: str, opset: int) -> bool:
    """Return whether the TorchScript exporter may be given the operator for a name: at its opsets, and at
    others where it is a node of a domain, or is to say that it has no rule where PyTorch has none either.
    """
    if target not in operator.targets:
        return False
    if domain_of(operator) or (target == str(operator) and operator.is_own):
        return True
    if opset in operator.torchscript:
        return True
    return not _before.get((target, opset)) and _symbolics.stock(target, opset) is None


def _is_meant(
    operator: Operator, held: Sequence[Operator], target: str, node: Any, values: Sequence[Any]
) -> bool:
    """Return whether the node calls the overload that the operator is, or, where no other of those ``held``
    is that, one with numbers for its tensors; of one that is decomposed, any other.
    """
    word = None if node is None else decomposed.overload_of(node)
    if word is None:
        return operator.is_decomposed or _takes(operator, values)
    called = f"{node.kind() if node.kind().endswith('__') else target}.{word}"
    if called in (operator.name, operator.existing):
        return True
    if operator.is_numbered(called) and _takes(operator, values):
        return True  # TorchScript makes constants of numbers, and finds the overload with tensors
    numbered = {overload.name() for overload in operator.numbered}
    others = (other.existing for other in held if other is not operator)
    return (operator.is_decomposed or called in numbered) and called not in others


def _takes(operator: Operator, values: Sequence[Any]) -> bool:
    """Return whether the values may be those of the operator's arguments: how many there are, and which of
    the constants are lists. A number is a constant: what the model computes is a tensor.
    """
    arguments = operator.schema_arguments
    if len(values) != len(arguments):  # a node has those that are left out, too
        return False
    for argument, value in zip(arguments, values, strict=True):
        number = symbolic_helper.constant_of(value, "t")
        is_number = isinstance(number, torch.Tensor) and not argument.is_tensor
        if argument.kind == "number" and not is_number and not symbolic_helper.is_none(value):
            return False
        if is_number and argument.is_list != (number.dim() > 0):
            return False
    return True
