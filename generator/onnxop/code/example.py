"""The first sample → the example of an operator in the package's README."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from onnxop_runtime.specs.tensors import FLOATING, Literal, RandomTensor, SampleValue, TensorList

from .. import names
from ..spec.model import Spec
from .lines import joined, wrapped

_MOST_NAMED = 40  # characters of results' names


@dataclass(frozen=True)
class Example:
    """The lines of an example: ``inputs`` make the tensors, ``call`` calls the function, ``model``
    makes a module that returns every result which ONNX has, ``args`` is its tuple of arguments.
    """

    inputs: tuple[str, ...]
    call: str
    model: str
    args: str


class _Call(NamedTuple):
    """A call in parts: the function with its opening parenthesis, and the arguments."""

    opening: str
    arguments: list[str]


def example(spec: Spec, package: str) -> Example:
    """Return the README's example: the first sample, by keywords where the order is another."""
    schema, sample = spec.schema, spec.samples[0]
    values = {argument.name: sample.get(argument.name) for argument in schema.scalars}
    scalars = {name: value for name, value in values.items() if isinstance(value, Literal)}
    keywords = [f"{name}={value.expression}" for name, value in scalars.items()]
    tensors = [argument.name for argument in schema.tensors if argument.name in sample]
    by_place = [argument.name for argument in schema.caller_arguments if not argument.keyword_only]
    is_first = by_place[: len(tensors)] == tensors
    results = ", ".join(schema.results)
    taken = {*tensors, *scalars, package, "model", "args", "torch"}
    if schema.has_several and (len(results) > _MOST_NAMED or taken & {*schema.results}):
        results = names.unused_name("results", taken)
    passed = [name if is_first else f"{name}={name}" for name in tensors]
    call = _Call(f"{package}.{schema.public_name}(", [*passed, *keywords])
    if spec.left_out:
        model = _model_of_kept(spec, tensors, call)
    else:
        model = joined(f"model = {package}.{spec.class_name}(", keywords, ").eval()")
    return Example(
        tuple(_line(name, sample[name]) for name in tensors),
        joined(f"{results} = {call.opening}", call.arguments, ")"),
        model,
        joined("args = (", tensors, ",)" if len(tensors) == 1 else ")"),
    )


def _model_of_kept(spec: Spec, tensors: list[str], call: _Call) -> str:
    """Return the lines of a module that returns the results which the mapping does not
    leave out.
    """
    indices = [i for i, name in enumerate(spec.schema.results) if name not in spec.left_out]
    self_name = names.unused_name("self", {*tensors})
    results_name = names.unused_name("results", {*tensors, self_name})
    kept = ", ".join(f"{results_name}[{index}]" for index in indices)
    lines = [
        "\nclass Model(torch.nn.Module):",
        "    " + joined("def forward(", [self_name, *tensors], "):", indent=4),
        "        " + joined(f"{results_name} = {call.opening}", call.arguments, ")", indent=8),
        f"        return {kept}  # ONNX has no {', '.join(spec.left_out)}",
        "",
        "",
        "model = Model().eval()",
    ]
    return "\n".join(lines)


def _line(name: str, value: SampleValue) -> str:
    if isinstance(value, TensorList):
        return joined(f"{name} = [", [_expression(item) for item in value.items], "]")
    return "\n".join(wrapped(f"{name} = ", _expression(value), "", indent=0))


def _expression(value: RandomTensor | Literal) -> str:
    """Return Python that makes a sample's tensor or value."""
    if isinstance(value, Literal):
        arguments = ", ".join(value.tensor_arguments)
        return f"torch.tensor({arguments})" if value.is_tensor else value.expression
    sizes = ", ".join(map(str, value.shape))
    dtype = "" if value.dtype == "float32" else f", dtype=torch.{value.dtype}"
    if value.dtype not in FLOATING and value.low is not None and value.high is not None:
        comma = "," if len(value.shape) == 1 else ""
        dtype = "" if value.dtype == "int64" else dtype
        return f"torch.randint({int(value.low)}, {int(value.high) + 1}, ({sizes}{comma}){dtype})"
    if value.dtype not in FLOATING:
        return f"torch.ones({sizes or '()'}{dtype})"
    if value.low is not None and value.high is not None:
        return f"torch.empty({sizes or '()'}{dtype}).uniform_({value.low}, {value.high})"
    return f"torch.rand({sizes or '()'}{dtype})"
