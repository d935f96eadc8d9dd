"""Operators that PyTorch, or a module of ``requires``, defines: their look-up, and which schema a
spec means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..messages import did_you_mean
from .parser import PATH
from .problems import Problems

# Namespaces that other projects register operators in, with the modules that do.
_NAMED_AS_MODULES = (
    "torch_cluster torch_scatter torch_sparse torch_spline_conv torchao torchaudio torchvision"
).split()
MODULES = {"fbgemm": "fbgemm_gpu", **{name: name for name in _NAMED_AS_MODULES}}


@dataclass(frozen=True)
class OperatorSchemas:
    """PyTorch's schemas of an operator, and the message if there are none."""

    schemas: tuple[str, ...]
    missing: str
    may_be_new: bool = False


class Lookup(Protocol):
    """The look-up of existing operators: in PyTorch's files, or in a process that has
    imported it.
    """

    def concerns(self, namespace: str, name: str, requires: Sequence[str]) -> bool:
        """Return whether an operator of that name may exist."""

    def find(
        self, namespace: str, name: str, text: str, requires: tuple[str, ...], problems: Problems
    ) -> OperatorSchemas | None:
        """Return PyTorch's schemas of the operator, or add a problem and return None."""


def add_unrequired(namespace: str, name: str, text: str, problems: Problems) -> None:
    """Add a problem for an operator of a known module that the spec does not require."""
    module = MODULES[namespace]
    fact = f"{namespace}::{name} is registered by {module}"
    remedy = f'add requires = ["{module}"] to [op]'
    offset = text.index(namespace)
    problems.add(PATH, f"{fact}; {remedy}", offset=offset, length=len(namespace))


def missing_in_aten(name: str, known: Iterable[str]) -> str:
    """Return the message for an operator that PyTorch does not have."""
    hint = did_you_mean(name, known) or "."
    fact = f"PyTorch has no operator aten::{name}{hint}"
    return f"{fact} A new operator needs a namespace of your own, such as my_lib"
