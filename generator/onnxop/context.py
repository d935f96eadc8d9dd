"""Spec → template context: Python decides here, the templates only place."""

from __future__ import annotations

from typing import Any

from . import names, pycode
from .binding_code import binding_code
from .code.package import package_context
from .composed import Composed
from .kernel_code import kernel_code
from .runtime_code import runtime_code
from .spec import Elementwise, Source, Spec
from .tensors import FLOATING, Literal, SampleValue


def context(spec: Spec) -> dict[str, Any]:
    """Everything the templates name: code as text, its lines already indented and broken."""
    parts = (
        _parts,
        _package,
        _names,
        kernel_code,
        binding_code,
        runtime_code,
        _readme,
    )
    return {
        name: "\n".join(value) if isinstance(value, list) else value
        for part in parts
        for name, value in part(spec).items()
    }


def _parts(spec: Spec) -> dict[str, Any]:
    """What the package has of the files that not every package has: copier.yml leaves out the rest.

    Versions of the template to come ask earlier ones for it, so there is this one name.
    """
    kernel = spec.kernel
    has = {
        "csrc": spec.is_native,
        "elementwise": isinstance(kernel, Elementwise),
        "source": isinstance(kernel, Source),
        "kernel": not (isinstance(kernel, Source) and kernel.is_given),
        "library": kernel is not None or bool(spec.requires),
        "autograd": kernel is not None,
    }
    return {"parts": tuple(part for part, is_there in has.items() if is_there)}


def _package(spec: Spec) -> dict[str, Any]:
    return package_context((spec,), spec.package)


def _names(spec: Spec) -> dict[str, Any]:
    schema = spec.schema
    found = (spec.derivatives or {}).values()
    return {
        "spec_text": spec.text,
        "doc": spec.doc,
        "namespace": spec.namespace,
        "name": schema.name,
        "operator": f"{spec.namespace}.{schema.name}",
        "class_name": spec.class_name,
        "function_name": f"{spec.class_name}Function",
        "existing": spec.overloads[-1] if schema.exists else "",
        "existing_name": f"{schema.namespace}::{schema.name}" if schema.exists else "",
        "has_kernel": spec.kernel is not None,
        "is_composed": isinstance(spec.kernel, Composed),
        "differentiable": any(found) or bool(spec.kernel_gradients),
        "refusals": bool(spec.refusals),
        "domain": spec.domain,
        "default_domain": spec.default_domain,
        "op_type": spec.op_type,
        "several_outputs": schema.has_several,
        "first_tensor": schema.tensors[0].name,
    }


_MOST_NAMED = 40  # characters of results' names in an example


def _readme(spec: Spec) -> dict[str, Any]:
    """The example that the package's README shows, from the first sample."""
    schema, sample = spec.schema, spec.samples[0]
    package = spec.package.name
    scalars = {a.name: sample[a.name] for a in schema.scalars if a.name in sample}
    constructor = [f"{name}={_expression(value)}" for name, value in scalars.items()]
    tensor_names = [argument.name for argument in schema.tensors if argument.name in sample]
    given = [a.name for a in schema.arguments if a.is_tensor or a.name in scalars]
    tensors_first = given[: len(tensor_names)] == tensor_names
    passed_tensors = tensor_names if tensors_first else [f"{n}={n}" for n in tensor_names]
    results = ", ".join(schema.results)
    taken = {*tensor_names, *scalars, package, "model", "args", "torch"}
    if schema.has_several and (len(results) > _MOST_NAMED or taken & {*schema.results}):
        results = names.free("results", taken)
    return {
        "readme_inputs": "\n".join(
            f"{name} = {_expression(sample[name])}" for name in tensor_names
        ),
        "readme_call": pycode.call(
            f"{results} = {package}.{schema.name}(", [*passed_tensors, *constructor]
        ),
        "readme_model": pycode.call(
            f"model = {package}.{spec.class_name}(", constructor, ").eval()"
        ),
        "readme_export": pycode.call(
            f"{package}.export(", ["model", "args", f'"{schema.name}.onnx"']
        ),
        "readme_args": pycode.tuple_of("args = ", tensor_names),
        "mapping_text": spec.mapping_text.strip(),
        "has_mapping": spec.mapping.is_given,
        "dynamo_span": _span(spec.mapping.dynamo),
        "torchscript_span": _span(spec.mapping.torchscript),
    }


def _expression(value: SampleValue) -> str:
    if isinstance(value, Literal):
        return f"torch.tensor({', '.join(value.words)})" if value.is_tensor else value.expression
    sizes = ", ".join(map(str, value.shape))
    if value.dtype in FLOATING:
        dtype = "" if value.dtype == "float32" else f", dtype=torch.{value.dtype}"
        return f"torch.rand({sizes or '()'}{dtype})"
    return f"torch.ones({sizes or '()'}, dtype=torch.{value.dtype})"


def _span(opset_range: range) -> str:
    if not opset_range:
        return "none: the mapping does not hold there"
    first, last = opset_range.start, opset_range.stop - 1
    return str(first) if first == last else f"{first} to {last}"
