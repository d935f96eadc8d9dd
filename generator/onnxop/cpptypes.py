"""The C++ types in which an argument reaches the host's binding, the kernel and its infer()."""

from __future__ import annotations

from .schema import Argument, OpSchema

_NUMBERS = {"int": "int64_t", "float": "double", "Scalar": "Scalar", "bool": "bool"}


def host(argument: Argument, tensor: str = "Tensor") -> str:
    """As the host passes it: values that own what they hold. ``tensor`` is the host's type."""
    if argument.is_tensor:
        return f"const {_optional(tensor)}&" if argument.is_optional else f"const {tensor}&"
    base = "std::string" if argument.kind == "str" else _NUMBERS[argument.kind]
    owned = f"std::vector<{base}>" if argument.is_list else base
    if argument.is_optional:
        owned = _optional(owned)
    return f"const {owned}&" if argument.is_list or argument.kind == "str" else owned


def kernel(argument: Argument) -> str:
    """As compute() takes it: views."""
    return _view(argument, "TensorView", "int64_t")


def inference(argument: Argument) -> str:
    """As infer() takes it: tensors without their data, sizes that may be open."""
    return _view(argument, "TensorMeta", "Size" if argument.is_symbolic else "int64_t")


def outputs(schema: OpSchema) -> str:
    """What infer() gives."""
    return f"std::array<OutputSpec, {len(schema.results)}>" if schema.has_several else "OutputSpec"


def _view(argument: Argument, tensor: str, integer: str) -> str:
    if argument.is_tensor:
        return f"const {_optional(tensor)}&" if argument.is_optional else f"const {tensor}&"
    base = integer if argument.kind == "int" else _NUMBERS.get(argument.kind, "std::string_view")
    if argument.is_list:
        base = f"std::span<const {base}>"
    return _optional(base) if argument.is_optional else base


def _optional(kind: str) -> str:
    return f"std::optional<{kind}>"
