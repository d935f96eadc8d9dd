"""Check the parts of a valid spec against each other: elementwise kernel, gradients, samples."""

from __future__ import annotations

import re
from collections.abc import Mapping as Table

from onnxop_runtime.messages import join_words
from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.tensors import Literal, Samples, SampleValue

from ..kernel.kernel_kinds import (
    INTEGERS,
    Elementwise,
    Kernel,
    Source,
    is_boolean,
    kernel_dtypes,
    reason_against,
)
from .derivatives import Formula
from .integers import integer_tensors


def check_elementwise(
    kernel: Elementwise,
    schema: OpSchema,
    formulas: Table[str, Formula | None],
    samples: Samples,
    problems: Problems,
) -> None:
    """Add a problem if samples or gradients do not fit the kernel's expression."""
    for index, sample in enumerate(samples):
        _check_dtypes(kernel, schema, sample, index, problems)
        _check_promotion(schema, sample, index, problems)
    if is_boolean(kernel.expression, schema):
        for name in (name for name, formula in formulas.items() if formula):
            fact = "the expression is boolean, which has no gradient; remove the line"
            problems.add(("autograd", name), fact, on_key=True)


def _check_dtypes(
    kernel: Elementwise,
    schema: OpSchema,
    sample: Table[str, SampleValue],
    index: int,
    problems: Problems,
) -> None:
    """Add a problem for each tensor of a dtype that the kernel does not support."""
    dtypes = kernel_dtypes(kernel.expression, schema)
    for name, value in sample.items():
        if value.dtype and value.dtype not in dtypes:
            reason = reason_against(value.dtype, kernel.expression, schema)
            fact = f"the kernel does not support {value.dtype}, because of {reason}"
            remedy = f"write one of {join_words(dtypes)}, or give the kernel by source"
            problems.add(("samples", index, name), f"{fact}; {remedy}")


def _check_promotion(
    schema: OpSchema, sample: Table[str, SampleValue], index: int, problems: Problems
) -> None:
    """Add a problem for each float beside integer tensors, which PyTorch promotes to a float dtype,
    and the kernel does not.
    """
    integers = {value.dtype for value in sample.values()} & {*INTEGERS}
    if not integers:
        return
    for argument in schema.scalars:
        if argument.base_type == "Scalar" and _is_float(sample.get(argument.name), argument):
            problems.add(
                ("samples", index, argument.name),
                f"{argument.name} is a float, but the tensors are {min(integers)}, so the result "
                "would have another dtype; write an integer, or float32 tensors",
            )


def _is_float(value: object, argument: Argument) -> bool:
    """Return whether a sample passes a float for a number: its value, or the default."""
    if isinstance(value, Literal):
        return not re.fullmatch("-?[0-9]+|True|False", value.expression)
    return isinstance(argument.default, float)


def check_gradients(
    kernel: Kernel | None,
    schema: OpSchema,
    formulas: Table[str, Formula | None],
    samples: Samples,
    problems: Problems,
) -> None:
    """Add a problem for each gradient of an argument that is an integer in every sample."""
    backward = kernel.backward if isinstance(kernel, Source) else ()
    paths = {name: ("autograd", name) for name, formula in formulas.items() if formula}
    paths |= {name: ("kernel", "backward") for name in backward}
    for name, dtypes in integer_tensors(schema, kernel, samples).items():
        if path := paths.get(name):
            fact = f"{name} is {join_words(dtypes)} in every sample"
            message = f"{fact}, and only floats have gradients; remove it"
            problems.add(path, message, on_key=path[0] == "autograd")
