"""The arguments of operators, as PyTorch's schemas have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..torch_internals import schema_of
from .lists import Lengths, lengths_of

_ATTRIBUTES = {
    "float": "FLOAT",
    "int": "INT",
    "bool": "INT",
    "str": "STRING",
    "ScalarType": "INT",
}
KINDS = ("Tensor", "number", *_ATTRIBUTES)
"""Kinds of arguments that ONNX has."""
MEANINGLESS = ("Device", "Layout", "MemoryFormat")
"""Kinds of arguments that a model is exported with, whatever they are."""


@dataclass(frozen=True)
class Argument:
    """An argument, as the dispatcher knows it.

    ``kind`` is that of each item of a list: ``Tensor``, ``number`` (a Scalar), ``float``, ``int``, ``bool``,
    ``str`` or ``ScalarType``.
    """

    name: str
    kind: str
    is_list: bool
    is_optional: bool
    keyword_only: bool
    has_default: bool
    default: Any

    @property
    def is_tensor(self) -> bool:
        return self.kind == "Tensor"

    @property
    def is_list_of_tensors(self) -> bool:
        return self.is_tensor and self.is_list

    def attribute(self, value: Any) -> str:
        """Return the kind of the ONNX attribute that holds the value: ``FLOAT``, ``INTS``, ..."""
        if self.kind == "number":
            return "FLOAT" if isinstance(value, float) else "INT"
        return _ATTRIBUTES[self.kind] + "S" * self.is_list

    @classmethod
    def of(cls, argument: Any) -> Argument:
        """Return an argument of a schema of PyTorch's."""
        kind = argument.real_type  # of ``type``, a ScalarType is an int
        is_optional = isinstance(kind, torch.OptionalType)
        kind = kind.getElementType() if is_optional else kind
        is_list = isinstance(kind, torch.ListType)
        kind = kind.getElementType() if is_list else kind
        kind = kind.getElementType() if isinstance(kind, torch.OptionalType) else kind
        kind = {"Scalar": "number", "SymInt": "int"}.get(str(kind), kind)
        return cls(
            name=argument.name,
            kind=str(kind),
            is_list=is_list,
            is_optional=is_optional,
            keyword_only=argument.kwarg_only,
            has_default=argument.has_default_value(),
            default=argument.default_value,
        )


class Signature:
    """The arguments of a call of an operator."""

    def __init__(self, operator: str, arguments: Sequence[Argument]) -> None:
        self.operator = operator
        self._arguments = arguments
        self.names = [argument.name for argument in arguments]
        self._has_lists = any(argument.is_list_of_tensors for argument in arguments)
        self._positional = sum(not argument.keyword_only for argument in arguments)

    @classmethod
    def of(cls, overload: Any) -> Signature:
        """Return that of an ``OpOverload``."""
        schema = schema_of(overload)
        return cls(schema.name, [*map(Argument.of, schema.arguments)])

    def values(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return all of them, defaults included: the dispatcher leaves out what equals its default."""
        left = self._arguments[len(args) :]
        return [*args, *(kwargs.get(argument.name, argument.default) for argument in left)]

    def split(self, values: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """Split all of them as a call takes them: by position, and by keyword."""
        named = zip(self.names[self._positional :], values[self._positional :], strict=True)
        return values[: self._positional], dict(named)

    def lengths(self, values: Sequence[Any]) -> Lengths:
        """Return how many tensors the lists of them have."""
        return lengths_of(self._arguments, values) if self._has_lists else ()

    def refusal(self, name: str, asked: str) -> NotImplementedError:
        """Return what asking for a derivative raises that the spec gives none of."""
        return NotImplementedError(
            f"{self.operator}: {name} is non_differentiable in the spec, or has no formula that PyTorch "
            f"can differentiate, but {asked}; detach it, or give a formula in [autograd]"
        )
