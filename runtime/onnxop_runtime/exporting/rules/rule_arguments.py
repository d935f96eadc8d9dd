"""The values that an exporter gives to a rule → the rule's arguments by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from typing import Any

import torch
from torch.onnx import errors

from ...operator.arguments import OperatorArgument
from ...operator.model import Operator
from ...specs.arguments import MEANINGLESS
from ...torch_internals import Value, symbolic_helper
from ..numbers import Computed, as_written


def by_name(operator: Operator, values: Sequence[object]) -> dict[str, object]:
    """Return the rule's arguments by name from the schema's values, without the `always_none`
    ones.
    """
    arguments = {argument.name: argument.default for argument in operator.schema_arguments}
    arguments |= dict(zip(arguments, values, strict=False))
    types = {argument.name: argument.base_type for argument in operator.schema_arguments}
    for name, type_name in types.items():
        if type_name == "ScalarType":
            arguments[name] = _onnx_type(arguments[name])
    for name in operator.always_none:
        if arguments.pop(name) is not None and types[name] not in MEANINGLESS:
            raise ValueError(
                f"{operator.existing or operator.name} can only be exported with {name}=None"
            )
    return arguments


def _onnx_type(dtype: object) -> int | None:
    """Return ONNX's number of a dtype. Dynamo gives PyTorch's or ONNX's dtype, TorchScript a
    number.
    """
    if dtype is None:
        return None
    if isinstance(dtype, IntEnum):
        return int(dtype)
    exporter: Any = torch.onnx
    scalar_type = exporter.JitScalarType  # torchvision's import hides symbolic_helper's
    if isinstance(dtype, torch.dtype):
        return int(scalar_type.from_dtype(dtype).onnx_type())
    return int(scalar_type(dtype).onnx_type())


# ---- Values of the dynamo exporter ----


def of_dynamo(argument: OperatorArgument, value: object) -> Any:
    """Return a value of the dynamo exporter as an argument of a rule."""
    return _dynamo_integers(argument.name, value) if argument.base_type == "int" else value


def _dynamo_integers(name: str, value: object) -> object:
    """Return integers; those that the model computes become `Computed`."""
    if isinstance(value, list | tuple):
        return [_dynamo_integers(name, item) for item in value]
    return value if value is None or isinstance(value, int) else Computed(name, value)


# ---- Values of the TorchScript exporter ----

_PARSED_AS = {
    "number": ("t", "fs"),
    "float": ("f", "fs"),
    "bool": ("b", "is"),
    "str": ("s", "is"),
    "ScalarType": ("i", "is"),
}
"""The exporter's names for types of arguments, as in its ``parse_args``: of one value, and of a
list.
"""


def of_torchscript(argument: OperatorArgument, value: object, operator: str = "") -> object:
    """Return a value of the TorchScript exporter as an argument of a rule."""
    if symbolic_helper.is_none(value):
        return None
    if argument.is_list_of_tensors:
        return _list_of_tensors(value)
    if argument.base_type == "int":
        value = _torchscript_integers(argument, value)
    elif argument.base_type in _PARSED_AS:
        parsed_item, parsed_list = _PARSED_AS[argument.base_type]
        parsed_as = parsed_list if argument.is_list else parsed_item
        value = symbolic_helper.parse(value, parsed_as, argument.name, operator)
    if isinstance(value, list | tuple) and any(isinstance(item, float) for item in value):
        return as_written(value)
    return value.item() if isinstance(value, torch.Tensor) else value  # a Scalar is a tensor


def _list_of_tensors(value: object) -> list[object]:
    """Return the tensors of a list, None for those that are missing."""
    if not symbolic_helper.is_packed_list(value):
        raise ValueError(
            "the model computes a list of tensors, whose length the exporter needs to know; "
            "give a list of known length"
        )
    items = symbolic_helper.unpack(value)
    return [None if symbolic_helper.is_none(item) else item for item in items]


def _torchscript_integers(argument: OperatorArgument, value: object) -> object:
    """Return integers; those that the model computes become `Computed`."""
    if not isinstance(value, Value):
        return value
    try:
        return symbolic_helper.parse(value, "is" if argument.is_list else "i")
    except errors.SymbolicValueError:
        if not argument.is_list:
            return Computed(argument.name, value)
    if not symbolic_helper.is_packed_list(value):
        Computed(argument.name, value).refuse()
    item = replace(argument, is_list=False)
    return [_torchscript_integers(item, part) for part in symbolic_helper.unpack(value)]
