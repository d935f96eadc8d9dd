"""What is registered in this process: the operators of all packages, and the export that is under way.

It knows no package's place or name but what each says of itself. Precedence does not depend on the
order of imports: the operators of the package that exports come first, then those of other packages,
then what `register` was given, then the gallery's, and PyTorch's own rules last.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .operator.description import Operator


class Origin(IntEnum):
    """Where a rule comes from; the lower one takes precedence."""

    PACKAGE = 0
    REGISTERED = 1
    GALLERY = 2


@dataclass
class Exporting:
    """An export under way.

    Attributes:
        own: the operators of the package that exports.
        dynamo: which exporter.
        opset: the opset version that was asked for.
        domains: the domain of each of ``own`` for this export; "": standard nodes.
        function_bodies: whether nodes of a domain have functions.
        refused: what rules have refused, in order.
        written: the model's metadata on the operators that were written.
        nodes: which operator wrote the nodes of a domain, by ``domain::op_type``.
        imports: the versions of the domains that the TorchScript exporter is told.
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


lock = threading.RLock()
"""Held during an export: neither exporter is safe in two threads at once."""
_operators: list[Operator] = []
_exporting: list[Exporting] = []


def add(operator: Operator) -> None:
    """Register an operator, in place of the one that an earlier import of its module registered."""

    def identity(of: Operator) -> tuple[str, Origin, str]:
        return of.package.name, of.origin, of.name

    for place, other in enumerate(_operators):
        if identity(other) == identity(operator):
            _operators[place] = operator
            return
    _operators.append(operator)


def remove(operators: Iterable[Operator]) -> None:
    """Forget operators."""
    for operator in operators:
        if operator in _operators:
            _operators.remove(operator)


def exporting() -> Exporting | None:
    """Return the innermost export under way; None where the exporter was called without one."""
    return _exporting[-1] if _exporting else None


@contextmanager
def under_way(export: Exporting) -> Iterator[None]:
    """While it lasts, the export is under way, and no other thread's is."""
    with lock:
        _exporting.append(export)
        try:
            yield
        finally:
            _exporting.pop()


def operators() -> list[Operator]:
    """Return all operators, those that take precedence first."""
    export = exporting()
    own = export.own if export is not None else ()

    def precedence(operator: Operator) -> tuple[bool, Origin, str]:
        return operator not in own, operator.origin, operator.package.name

    return sorted(_operators, key=precedence)


def domain_of(operator: Operator) -> str:
    """Return the domain that the operator is exported in at the moment; "": as standard nodes."""
    export = exporting()
    domains = export.domains if export is not None else {}
    return domains.get(operator, operator.default_domain)
