"""The registry of this process: the operators of all packages.

Precedence does not depend on the order of imports. The operators of the exporting package come
first, then those of other packages, then those from `register`, then the gallery's, then PyTorch's
rules.
"""

from __future__ import annotations

import threading
from collections.abc import Container, Sequence

from .model import Operator, Origin

lock = threading.RLock()
"""Held during an export, because neither exporter is thread-safe."""
_operators: dict[tuple[str, Origin, str], Operator] = {}


def add(operator: Operator) -> None:
    """Register an operator; replace the one that an earlier import of the same module
    registered.
    """
    _operators[operator.package.name, operator.origin, operator.name] = operator


def remove(operators: Sequence[Operator]) -> None:
    """Remove operators."""
    for key, operator in [*_operators.items()]:
        if operator in operators:
            del _operators[key]


def operators(first: Container[Operator] = ()) -> list[Operator]:
    """Return all operators in order of precedence, those of ``first`` before all others."""

    def precedence(operator: Operator) -> tuple[bool, Origin, str]:
        return operator not in first, operator.origin, operator.package.name

    return sorted(_operators.values(), key=precedence)


def check_unique(
    operator: Operator, candidates: Sequence[Operator], first: Container[Operator] = ()
) -> None:
    """Raise ValueError if the rules of two packages for an operator's calls have the same
    precedence: both packages are among ``first``, or neither is.
    """
    if operator.origin is not Origin.PACKAGE:
        return
    for other in candidates:
        is_of_another = (
            other.origin is Origin.PACKAGE and other.package.name != operator.package.name
        )
        if is_of_another and (other in first) == (operator in first):
            name = operator.existing or operator.name
            raise ValueError(
                f"{name}: the packages {operator.package.name} and {other.package.name} both have "
                "a rule for it; import one of them, or export by "
                f"{operator.package.name}.export(...)"
            )
