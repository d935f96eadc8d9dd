"""The registry of this process: the operators of all packages, and the current export.

Precedence does not depend on the order of imports. The operators of the exporting package come first,
then those of other packages, then those from `register`, then the gallery's, then PyTorch's rules.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .operator.description import Operator


class Origin(IntEnum):
    """The origin of a rule; lower values take precedence."""

    PACKAGE = 0
    REGISTERED = 1
    GALLERY = 2


@dataclass
class Exporting:
    """An export under way.

    Attributes:
        own: the operators of the exporting package.
        dynamo: whether it is the dynamo exporter.
        opset: the requested opset version.
        domains: the domain of each of ``own`` in this export; "" for standard nodes.
        function_bodies: whether nodes of custom domains get function bodies.
        refused: the errors that rules raised, in order.
        written: the model's metadata on the exported operators.
        nodes: the operator that wrote the nodes of a domain, by ``domain::op_type``.
        imports: the versions of domains, for the TorchScript exporter.
        decomposed: the operators that torch.export decomposed because of their inputs' dtype.
    """

    own: Sequence[Operator]
    dynamo: bool
    opset: int
    domains: dict[Operator, str]
    function_bodies: bool = True
    refused: list[Exception] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, Operator] = field(default_factory=dict)
    imports: dict[str, int] = field(default_factory=dict)
    decomposed: dict[Operator, Any] = field(default_factory=dict)


lock = threading.RLock()
"""Held during an export, as neither exporter is thread-safe."""
_operators: list[Operator] = []
_exporting: list[Exporting] = []


def add(operator: Operator) -> None:
    """Register an operator; replace that of an earlier import of the same module."""

    def key(operator: Operator) -> tuple[str, Origin, str]:
        return operator.package.name, operator.origin, operator.name

    for place, other in enumerate(_operators):
        if key(other) == key(operator):
            _operators[place] = operator
            return
    _operators.append(operator)


def remove(operators: Iterable[Operator]) -> None:
    """Remove operators."""
    for operator in operators:
        if operator in _operators:
            _operators.remove(operator)


def exporting() -> Exporting | None:
    """Return the innermost current export, or None outside of `export`."""
    return _exporting[-1] if _exporting else None


@contextmanager
def under_way(export: Exporting) -> Iterator[None]:
    """Register the export for the duration of the block; exports in other threads wait."""
    with lock:
        _exporting.append(export)
        try:
            yield
        finally:
            _exporting.pop()


def operators() -> list[Operator]:
    """Return all operators in order of precedence."""
    export = exporting()
    own = export.own if export is not None else ()

    def precedence(operator: Operator) -> tuple[bool, Origin, str]:
        return operator not in own, operator.origin, operator.package.name

    return sorted(_operators, key=precedence)


def domain_of(operator: Operator) -> str:
    """Return the operator's domain in the current export; "" for standard nodes."""
    export = exporting()
    domains = export.domains if export is not None else {}
    return domains.get(operator, operator.default_domain)
