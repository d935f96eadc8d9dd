"""The operator's signature as Python parameters and as PyTorch's schema text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from onnxop_runtime.specs import pyexpr
from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.op_schema import OpSchema

from .. import names
from ..spec.model import Spec
from .mapping import assigned_names


def schema_text(spec: Spec) -> str:
    """Return the schema that the package registers, without its namespace."""
    parts = [
        f"{a.type} {a.name}" + (f"={a.schema_default}" if a.has_default else "")
        for a in spec.schema.caller_arguments
    ]
    arguments = ", ".join(with_star(spec.schema.caller_arguments, parts))
    return f"{spec.schema.public_name}({arguments}) -> {spec.schema.returns}"


def returned_type(schema: OpSchema) -> str:
    """Return the Python type of what the operator returns."""
    if schema.returns_list:
        return "list[Tensor]"
    if not schema.has_several:
        return "Tensor"
    few = len(schema.results) <= _MOST_WRITTEN_OUT
    items = ", ".join(["Tensor" for _ in schema.results]) if few else "Tensor, ..."
    return f"tuple[{items}]"


_MOST_WRITTEN_OUT = 6


def gradient_names(schema: OpSchema) -> list[str]:
    """Return names for the results' gradients that differ from the arguments' names."""
    if not schema.has_several:
        return ["grad"]
    taken = [argument.name for argument in schema.arguments]
    return [names.unused_name(f"grad_{result}", taken) for result in schema.results]


def parameters(arguments: tuple[Argument, ...], types: Mapping[str, str]) -> list[str]:
    """Return Python parameters; ``types`` overrides the Python types of some schema types."""
    declared = [f"{a.name}: {types.get(a.type, a.python_type)}" for a in arguments]
    declared = [
        f"{parameter} = {pyexpr.literal(a.default)}" if a.has_default else parameter
        for a, parameter in zip(arguments, declared, strict=True)
    ]
    return with_star(arguments, declared)


def with_star(arguments: Sequence[Argument], parts: Sequence[str]) -> list[str]:
    """Return the parts, one per argument, with a ``*`` before the first keyword-only argument."""
    first = next((i for i, a in enumerate(arguments) if a.keyword_only), len(parts))
    return [*parts[:first], *(["*"] if first < len(parts) else []), *parts[first:]]


def rule_parameters(spec: Spec) -> list[str]:
    """Return the parameters of the mapping's function: tensors are values of ONNX, dtypes its
    numbers.

    An argument to which the mapping assigns something else may be anything.
    """
    assigned = assigned_names(spec.mapping.text)
    parameters = ["op: OnnxOps"]
    for argument in spec.arguments:
        type_ = argument.python_type.replace("torch.dtype", "int").replace("Tensor", "OnnxValue")
        parameters.append(f"{argument.name}: {'Any' if argument.name in assigned else type_}")
    return parameters


def backward_schema(spec: Spec) -> str:
    """Return the schema of the operator that computes gradients; an unwanted gradient is empty.
    With a list among the arguments, all gradients are one flat list.
    """
    inputs = [f"Tensor {name}" for name in gradient_names(spec.schema)]
    inputs += [f"{a.type} {a.name}" for a in spec.arguments]
    chosen = [a for a in spec.arguments if a.name in spec.kernel_gradients]
    if any(a.is_list for a in chosen):
        returned = "Tensor[]"
    elif len(chosen) > 1:
        returned = f"({', '.join('Tensor' for _ in chosen)})"
    else:
        returned = "Tensor"
    return f"{spec.schema.public_name}_backward({', '.join(inputs)}, bool[] wants) -> {returned}"
