"""`OpSchema`: an operator as PyTorch's schema language describes it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from .arguments import Argument


@dataclass(frozen=True)
class OpSchema:
    """``namespace::name.overload(arguments) -> returns``.

    ``exists``: PyTorch, or a module of ``requires``, defines the operator, so the package does not.
    ``returns`` is ``Tensor``, ``(Tensor, Tensor)`` or the like. ``results`` are the results' names
    as in PyTorch's derivatives; an outline has none. ``given_name`` is the spec's name for the
    operator in the package. ``registered`` are its schemas in the modules of ``requires``, as a
    package records them.

    An operator that writes to arguments (``Tensor(a!) cache``) is described by its functional form,
    which returns the written tensors after its results: ``name`` has ``_functional`` at its end.
    ``writes`` are the arguments, and ``in_place`` is the schema as it was written, without the
    namespace.
    """

    namespace: str
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    exists: bool = False
    returns: str = "Tensor"
    results: tuple[str, ...] = ("result",)
    given_name: str = ""
    registered: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    in_place: str = ""

    @property
    def declared_name(self) -> str:
        """Return the operator's name in the package, or that of the operator that writes to
        arguments.
        """
        return self.in_place.partition("(")[0] or self.public_name

    @property
    def public_name(self) -> str:
        """Return the operator's name in the package."""
        return self.given_name or self.name

    @property
    def full_name(self) -> str:
        """Return PyTorch's name for it, as a spec has it: ``aten::median.dim``."""
        return f"{self.namespace}::{self.name}" + (f".{self.overload}" if self.overload else "")

    @property
    def title(self) -> str:
        """Return the name for messages and pages. It has the overload only if the spec
        renames it.
        """
        return self.full_name if self.given_name else f"{self.namespace}::{self.name}"

    @property
    def has_several(self) -> bool:
        """Return whether it returns more than one tensor, in a tuple."""
        return len(self.results) > 1

    @property
    def returns_list(self) -> bool:
        """Return whether it returns a list of tensors."""
        return self.returns == "Tensor[]"

    def with_exposed(self, names: Container[str]) -> OpSchema:
        """Return the schema in which a caller can pass these arguments, even those otherwise left
        at None.
        """
        arguments = [replace(a, is_exposed=True) if a.name in names else a for a in self.arguments]
        return replace(self, arguments=tuple(arguments))

    @property
    def caller_arguments(self) -> tuple[Argument, ...]:
        """Return the arguments that a caller can pass: all that are not left at None."""
        return tuple(argument for argument in self.arguments if not argument.is_always_none)

    @property
    def tensors(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.caller_arguments if argument.is_tensor)

    @property
    def scalars(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.caller_arguments if not argument.is_tensor)
