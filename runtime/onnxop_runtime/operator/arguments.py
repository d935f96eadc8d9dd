"""The arguments of operators, as PyTorch's schemas have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

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

    Attributes:
        name: its name.
        kind: ``Tensor``, ``number``, ``float``, ``int``, ``bool``, ``str`` or ``ScalarType``: what it
            is, or each item of it.
        is_list: whether it is a list of these.
        is_optional: whether it may be None.
        keyword_only: whether it is passed by its name alone.
        has_default: whether it may be left out.
        default: what it is then.
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
        """The kind of the ONNX attribute that holds the value: ``FLOAT``, ``INTS``, ... That of a
        Scalar is its value's.
        """
        if self.kind == "number":
            return "FLOAT" if isinstance(value, float) else "INT"
        return _ATTRIBUTES[self.kind] + "S" * self.is_list

    @classmethod
    def of(cls, argument: Any) -> Argument:
        """An argument of a schema of PyTorch's."""
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
    """The arguments of a call."""

    def __init__(self, arguments: Sequence[Argument]) -> None:
        self._arguments = arguments
        self.names = [argument.name for argument in arguments]
        self._positional = sum(not argument.keyword_only for argument in arguments)

    def values(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """All of them, defaults included: the dispatcher leaves out what equals its default."""
        left = self._arguments[len(args) :]
        return [*args, *(kwargs.get(argument.name, argument.default) for argument in left)]

    def split(self, values: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """All of them as a call takes them: by position, and by keyword."""
        named = zip(self.names[self._positional :], values[self._positional :], strict=True)
        return values[: self._positional], dict(named)

    def lengths(self, values: Sequence[Any]) -> Lengths:
        """How many tensors the lists of them have."""
        return lengths_of(self._arguments, values)
