"""A spec and its calls → the question to PyTorch, which another process answers."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, Union, cast

from onnxop_runtime.mapping.sample_model import SampleModel
from onnxop_runtime.optional_imports import need
from onnxop_runtime.specs import pyexpr
from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.positions import Path
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.samples import parse_sample
from onnxop_runtime.specs.tensors import Literal, RandomTensor, SampleValue, TensorList, tensors_of

from ..code.torchexpr import to_torch
from ..kernel.composed import Composed, KernelFunction
from ..kernel.kernel_kinds import Elementwise, Kernel, Source
from ..spec.draft import Draft
from .calls import Sample
from .mapping import CallTrace

Encoded = Union[str, "list[Encoded]", dict[str, object]]
"""An argument: a Python literal, the items of a list, or a tensor's dtype, shape and values."""

_DRAWING = frozenset(
    "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike".split()
)
"""The ONNX ops that draw random numbers."""


class Question(TypedDict):
    """What `torch_calls` computes: the calls without values, by the kernel and by the fake kernel,
    then their models with values, then the error cases.

    ``code`` defines the function ``kernel``; it is empty if the calls are of ``operator``, which
    exists. ``fake`` defines it, too, as the fake kernel; it is empty if there is none. ``paths``
    are the operators of ``modules`` that the code calls. ``models`` has, for each of the first
    calls, the opset, the bytes and the results of each model. ``differentiated``: the tensors that
    autograd differentiates the code by, as they have no formula. ``errors`` has each error case,
    and the exception and the pattern that it is to match; they are empty if the package's kernel is
    another than ``code``.
    """

    modules: list[str]
    code: str
    fake: str
    paths: list[str]
    operator: str
    calls: list[dict[str, Encoded]]
    models: list[list[tuple[int, str, list[str]]]]
    outputs: Sequence[str]
    gradients: dict[str, str]
    differentiated: list[str]
    errors: list[tuple[dict[str, Encoded], str, str]]


@dataclass(frozen=True)
class Inquiry:
    """A spec, its traces and its error cases that are valid calls, with what PyTorch is
    asked about them.

    ``payload`` is empty if PyTorch has nothing to compute; ``model_count`` is the number of calls
    whose values it compares. Unless ``is_run``, specs pass without an answer.
    """

    draft: Draft
    schema: OpSchema
    traces: Sequence[CallTrace]
    cases: Sequence[Path]
    is_run: bool
    payload: str = ""
    model_count: int = 0


def inquiry_about(
    draft: Draft, traces: Sequence[CallTrace], *, is_run: bool, is_asked: bool
) -> Inquiry | None:
    """Return what PyTorch is asked about a spec; None if its schema, its kernel or its samples are
    wrong.

    ``is_run``: compare values and gradients, too. Unless ``is_asked``, PyTorch has nothing to
    compute, so that nothing imports the modules that the spec requires.
    """
    schema = draft.schema
    if schema is None or not draft.is_valid("kernel", "samples"):
        return None
    asks_for_values = is_run and all(trace.models for trace in traces)
    cases = _valid_error_cases(draft, schema)
    code = _reference_code(draft.kernel, schema, is_run=asks_for_values)
    if code is None or not is_asked:
        return Inquiry(draft, schema, traces, [*cases], is_run)
    models = _compared_models(draft.kernel, traces) if asks_for_values else []
    if models:
        need("onnxop check", "onnxruntime")
    formulas = draft.formulas.items() if draft.kernel is not None else ()
    question: Question = {
        "modules": [*draft.document.op.requires],
        "code": code,
        "fake": _fake_code(draft.kernel, schema),
        "paths": _required_operators(draft.kernel),
        "operator": f"{schema.namespace}.{schema.name}.{schema.overload or 'default'}",
        "calls": [_encoded_call(trace.call.sample, schema) for trace in traces],
        "models": [[_encoded_model(*item) for item in row.items()] for row in models],
        "outputs": schema.results if schema.has_several else ["result"],
        "gradients": {name: formula.code for name, formula in formulas if formula},
        "differentiated": _differentiated(draft, schema),
        "errors": [_encoded_case(draft, schema, *item) for item in cases.items()],
    }
    return Inquiry(draft, schema, traces, [*cases], is_run, json.dumps(question), len(models))


def _encoded_case(
    draft: Draft, schema: OpSchema, path: Path, case: Sample
) -> tuple[dict[str, Encoded], str, str]:
    """Return the call of an error case, its exception and its pattern."""
    call, table = _encoded_call(case, schema), draft.document.errors[cast("int", path[1])]
    is_of_reference = isinstance(draft.kernel, Elementwise)  # whose errors are not the kernel's
    if is_of_reference or draft.problems.concern(*path):
        return call, "", ""
    return call, str(table["raises"]), str(table.get("match", ""))


def _differentiated(draft: Draft, schema: OpSchema) -> list[str]:
    """Return the tensors that an elementwise operator without formulas has gradients of."""
    if not isinstance(draft.kernel, Elementwise) or draft.formulas:
        return []
    return [tensor.name for tensor in schema.tensors]


def _valid_error_cases(draft: Draft, schema: OpSchema) -> dict[Path, Sample]:
    """Return the error cases that are valid samples. C++ may reject any, so it has none."""
    cases: dict[Path, Sample] = {}
    if isinstance(draft.kernel, Source):
        return cases
    is_elementwise = isinstance(draft.kernel, Elementwise)
    for index, table in enumerate(draft.document.errors):
        path: Path = ("errors", index)
        problems = Problems()
        values = {name: value for name, value in table.items() if name not in ("raises", "match")}
        case = parse_sample(values, schema, path, problems, is_elementwise=is_elementwise)
        dtypes = {tensor.dtype for value in case.values() for tensor in tensors_of(value)}
        has_supported_dtypes = not is_elementwise or dtypes <= {"float32", "float64"}
        if has_supported_dtypes and not problems:
            cases[path] = case
    return cases


def _reference_code(kernel: Kernel | None, schema: OpSchema, *, is_run: bool) -> str | None:
    """Return the code of the reference; "" for an existing operator, None if there is nothing to
    call.
    """
    function: KernelFunction | None = None
    match kernel:
        case Elementwise():
            return _elementwise_code(kernel, schema) if is_run else None
        case Composed(function=function) | Source(reference=function):
            pass
    if function is None:
        return "" if schema.exists else None
    return _definition(function, schema)


def _fake_code(kernel: Kernel | None, schema: OpSchema) -> str:
    """Return the code of the fake kernel; "" if there is none."""
    if not isinstance(kernel, Composed) or kernel.fake is None:
        return ""
    return _definition(kernel.fake, schema)


def _definition(function: KernelFunction, schema: OpSchema) -> str:
    lines = [f"import {module}" for module in ("torch", *function.modules)]
    lines += [f"from {module} import {name}" for module, name in function.names]
    body = [f"    {line}" for line in function.body.split("\n")]
    return "\n".join([*lines, f"def kernel({_parameters(schema)}):", *body, ""])


def _elementwise_code(kernel: Elementwise, schema: OpSchema) -> str:
    tensors = [tensor.name for tensor in schema.tensors]
    booleans = [scalar.name for scalar in schema.scalars if scalar.base_type == "bool"]
    text = to_torch(kernel.expression, {}, tensors, booleans)
    # The result broadcasts over all tensors, also those that the expression does not name.
    if not all(tensor in text for tensor in tensors):
        text = f"torch.as_tensor({text}) + 0 * ({' + '.join(tensors)})"
    return f"import torch, onnxop_runtime\ndef kernel({_parameters(schema)}):\n    return {text}\n"


def _parameters(schema: OpSchema) -> str:
    return ", ".join(argument.name for argument in schema.arguments)


def _required_operators(kernel: Kernel | None) -> list[str]:
    """Return the operators of required modules that a kernel or its reference calls."""
    match kernel:
        case Composed(function=function, fake=fake):
            return [*function.paths, *(fake.paths if fake else ())]
        case Source(reference=KernelFunction() as function):
            return [*function.paths]
    return []


def _compared_models(
    kernel: Kernel | None, traces: Sequence[CallTrace]
) -> list[Mapping[int, SampleModel]]:
    """Return the models whose values are compared: none without a reference, none that draw."""
    models = [trace.models for trace in traces]
    has_reference = not isinstance(kernel, Source) or kernel.reference is not None
    return models if has_reference and all(models) and not any(map(drawing_op, models)) else []


def drawing_op(models: Mapping[int, SampleModel]) -> str:
    """Return the mapping's first op that draws random numbers, or an empty string."""
    nodes = (node for model in models.values() for node in model.nodes.values())
    return next((f"op.{node.op}" for node in nodes if node.op in _DRAWING), "")


def _encoded_model(opset: int, built: SampleModel) -> tuple[int, str, list[str]]:
    built.model.ir_version = 10
    data = base64.b64encode(built.model.SerializeToString())
    return opset, data.decode(), built.results


def _encoded_call(sample: Sample, schema: OpSchema) -> dict[str, Encoded]:
    """Return a call with all arguments."""
    return {
        argument.name: _encoded_argument(sample[argument.name], argument)
        if argument.name in sample
        else pyexpr.literal(argument.default)
        for argument in schema.arguments
    }


def _encoded_argument(value: SampleValue, argument: Argument) -> Encoded:
    """Return an argument of a sample as plain data, for another process."""
    match value:
        case TensorList(items=items):
            return [_encoded_argument(item, argument) for item in items]
        case RandomTensor(dtype=dtype, shape=shape, low=low, high=high):
            return {"dtype": dtype, "shape": [*shape], "low": low, "high": high}
        case Literal(dtype=dtype, shape=shape, expression=text) if dtype:
            return {"dtype": dtype, "shape": [*shape], "values": text}
        case Literal(expression=text):
            return _encoded_number(text, argument)


def _encoded_number(text: str, argument: Argument) -> str:
    """Return a literal as an argument's type: ``float(2)``, or ``[*map(int, [1] * 2)]`` for
    ``int[2]``.
    """
    kind = argument.base_type
    if text == "None" or kind not in ("float", "int"):
        return text
    if not argument.is_list:
        return f"{kind}({text})"
    items = text if text.startswith("[") else f"[{text}] * {argument.length}"
    return f"[*map({kind}, {items})]"
