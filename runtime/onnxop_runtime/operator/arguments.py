"""The arguments of operators, from their PyTorch schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..torch_internals import OpOverload, schema_of
from .lists import Lengths

_ATTRIBUTES = {"float": "FLOAT", "int": "INT", "bool": "INT", "str": "STRING", "ScalarType": "INT"}


@dataclass(frozen=True)
class OperatorArgument:
    """An argument of a schema.

    ``base_type`` is ``Tensor``, ``number`` (a Scalar), ``float``, ``int``, ``bool``, ``str`` or
    ``ScalarType``; of a list, the type of its items.
    """

    name: str
    base_type: str
    is_list: bool
    is_optional: bool
    keyword_only: bool
    has_default: bool
    default: Any

    @property
    def is_tensor(self) -> bool:
        return self.base_type == "Tensor"

    @property
    def is_list_of_tensors(self) -> bool:
        return self.is_tensor and self.is_list

    def attribute(self, value: object) -> str:
        """Return the type of the ONNX attribute that holds the value: ``FLOAT``, ``INTS``, ..."""
        if self.base_type == "number":
            return "FLOAT" if isinstance(value, float) else "INT"
        return f"{_ATTRIBUTES[self.base_type]}S" if self.is_list else _ATTRIBUTES[self.base_type]

    @classmethod
    def of_schema(cls, argument: Any) -> OperatorArgument:
        """Return the argument of a PyTorch schema."""
        type_ = argument.real_type  # ``type`` would give int for a ScalarType
        is_optional = isinstance(type_, torch.OptionalType)
        if is_optional:
            type_ = type_.getElementType()
        is_list = isinstance(type_, torch.ListType)
        if is_list:
            type_ = type_.getElementType()
        if isinstance(type_, torch.OptionalType):  # the items of Tensor?[]
            type_ = type_.getElementType()
        base_type = {"Scalar": "number", "SymInt": "int"}.get(str(type_), str(type_))
        return cls(
            name=argument.name,
            base_type=base_type,
            is_list=is_list,
            is_optional=is_optional,
            keyword_only=argument.kwarg_only,
            has_default=argument.has_default_value(),
            default=argument.default_value,
        )


class Signature:
    """The arguments of a call of an operator."""

    def __init__(self, operator: str, arguments: Sequence[OperatorArgument]) -> None:
        self.operator = operator
        self._arguments = arguments
        self.names = [argument.name for argument in arguments]
        self._has_lists = any(argument.is_list_of_tensors for argument in arguments)
        self._positional = sum(not argument.keyword_only for argument in arguments)

    @classmethod
    def of_overload(cls, overload: OpOverload) -> Signature:
        """Return the signature of an ``OpOverload``."""
        schema = schema_of(overload)
        return cls(schema.name, [*map(OperatorArgument.of_schema, schema.arguments)])

    def bind(self, args: Sequence[object], kwargs: Mapping[str, object]) -> list[Any]:
        """Return the values of all arguments, defaults included: the dispatcher drops values that
        equal the default.
        """
        rest = self._arguments[len(args) :]
        return [*args, *(kwargs.get(argument.name, argument.default) for argument in rest)]

    def check_tensors(self, args: Sequence[object], kwargs: Mapping[str, object]) -> None:
        """Raise TypeError if a required tensor is None, which the dispatcher passes to kernels."""
        for argument, value in zip(self._arguments, self.bind(args, kwargs), strict=False):
            if value is None and argument.is_tensor and not argument.is_optional:
                noun = "list" if argument.is_list else "tensor"
                message = f"{self.operator}: {argument.name} must be a {noun}, but it is None"
                raise TypeError(message) from None

    def split(self, values: Sequence[object]) -> tuple[Sequence[Any], dict[str, Any]]:
        """Split all values into positional and keyword arguments of a call."""
        named = zip(self.names[self._positional :], values[self._positional :], strict=True)
        return values[: self._positional], dict(named)

    def lengths(self, values: Sequence[object]) -> Lengths:
        """Return the lengths of the lists of tensors."""
        return lengths_of(self._arguments, values) if self._has_lists else ()

    def refusal(self, name: str, request: str) -> NotImplementedError:
        """Return the error for a derivative that the spec does not give."""
        return NotImplementedError(
            f"{self.operator}: {name} is non_differentiable in the spec, or has no formula that "
            f"PyTorch can differentiate, but {request}; detach it, or give a formula in [autograd]"
        )


def lengths_of(arguments: Sequence[OperatorArgument], values: Sequence[Any]) -> Lengths:
    """Return the lengths of the lists of tensors of a call."""
    if not any(argument.is_list_of_tensors for argument in arguments):
        return ()
    pairs = zip(arguments, values, strict=True)
    return [len(value) if argument.is_list_of_tensors else None for argument, value in pairs]
