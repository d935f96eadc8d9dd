"""The registry of this process: the operators of all packages, and the current export.

Precedence does not depend on the order of imports. The operators of the exporting package come first,
then those of other packages, then those from `register`, then the gallery's, then PyTorch's rules.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from .model import Operator, Origin


class KnownSizes(Protocol):
    """The sizes of tensors at each call of an operator; those of dynamic dimensions are None."""

    def set_types(self, operator: Operator, values: Sequence[Any]) -> None:
        """Set the sizes of the next converted call's tensors as the types of TorchScript's values."""

    def at(self, operator: Operator, position: int) -> list[tuple[int | None, ...]]:
        """Return the sizes of the tensors at a call of an operator; none if they are unknown."""

    def is_complete(self, operator: Operator, count: int) -> bool:
        """Return whether the sizes of the calls are known, and there are this many calls."""

    def is_matched(self) -> bool:
        """Return whether the exporter converted all calls whose types were set."""


@dataclass
class Exporting:
    """A current export of a package, whose operators are ``own``."""

    own: Sequence[Operator]
    dynamo: bool
    opset: int
    domains: dict[Operator, str]
    """The domain of each of ``own`` in this export; "" for standard nodes."""
    function_bodies: bool = True
    """Whether nodes of custom domains get function bodies."""
    refused: list[Exception] = field(default_factory=list)
    """The errors that rules raised, in order."""
    written: dict[str, str] = field(default_factory=dict)
    """The model's metadata on the exported operators."""
    nodes: dict[str, Operator] = field(default_factory=dict)
    """The operator that wrote the nodes of a domain, by ``domain::op_type``."""
    imports: dict[str, int] = field(default_factory=dict)
    """The versions of domains, for the TorchScript exporter."""
    decomposed: dict[Operator, Any] = field(default_factory=dict)
    """The operators that torch.export decomposed because of their inputs' dtype."""
    call_sizes: KnownSizes | None = None
    """The sizes of tensors at each call, for the TorchScript exporter and models with dynamic axes."""
    is_plain: bool = False
    """Whether `torch.onnx.export` was called, not `export`."""


lock = threading.RLock()
"""Held during an export, because neither exporter is thread-safe."""
_operators: dict[tuple[str, Origin, str], Operator] = {}
_exporting: list[Exporting] = []


def add(operator: Operator) -> None:
    """Register an operator; replace the one that an earlier import of the same module registered."""
    _operators[operator.package.name, operator.origin, operator.name] = operator


def remove(operators: Sequence[Operator]) -> None:
    """Remove operators."""
    for key, operator in [*_operators.items()]:
        if operator in operators:
            del _operators[key]


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

    return sorted(_operators.values(), key=precedence)


def check_unique(operator: Operator, candidates: Sequence[Operator]) -> None:
    """Raise ValueError if the rule of an operator is one of two packages', and the export is of neither."""
    export = exporting()
    if operator.origin is not Origin.PACKAGE or (export is not None and operator in export.own):
        return
    for other in candidates:
        if other.origin is Origin.PACKAGE and other.package.name != operator.package.name:
            name = operator.existing or operator.name
            raise ValueError(
                f"{name}: the packages {operator.package.name} and {other.package.name} both have a rule for it; "
                f"import one of them, or export by {operator.package.name}.export(...)"
            )


def domain_of(operator: Operator) -> str:
    """Return the operator's domain in the current export; "" for standard nodes."""
    export = exporting()
    domains = export.domains if export is not None else {}
    return domains.get(operator, operator.default_domain)
