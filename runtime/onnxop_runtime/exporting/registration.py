"""The registration of operators with both exporters."""

from __future__ import annotations

from collections.abc import Sequence

from ..operator import registry
from ..operator.model import Operator
from .call import plain_export
from .rules import symbolic_registry


def register(operator: Operator) -> None:
    """Have both exporters use an operator's rule, whoever calls them."""
    registry.add(operator)
    plain_export.use_rules()
    symbolic_registry.add_symbolics(operator)


def unregister(operators: Sequence[Operator]) -> None:
    """Remove operators from both exporters, which use their former rules again."""
    registry.remove(operators)
    symbolic_registry.remove_unused_symbolics()
