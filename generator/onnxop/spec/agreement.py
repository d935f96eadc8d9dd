"""Check the parts of a valid spec against each other: elementwise kernel, gradients, samples."""

from __future__ import annotations

import re
from collections.abc import Mapping as Table

from onnxop_runtime.messages import join_words
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.tensors import Literal, Samples

from ..kernel.kinds import (
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
    dtypes = kernel_dtypes(kernel.expression, schema)
    for position, sample in enumerate(samples):
        for name, value in sample.items():
            if value.dtype and value.dtype not in dtypes:
                reason = reason_against(value.dtype, kernel.expression, schema)
                fact = f"the kernel does not support {value.dtype}, because of {reason}"
                remedy = f"write one of {join_words(dtypes)}, or give the kernel by source"
                problems.add(("samples", position, name), f"{fact}; {remedy}")
        # PyTorch promotes integer tensors and a float to a float dtype; the kernel does not.
        integers = {value.dtype for value in sample.values()} & {*INTEGERS}
        for argument in schema.scalars if integers else ():
            scalar = sample.get(argument.name)
            is_float = isinstance(argument.default, float)
            if isinstance(scalar, Literal):
                is_float = not re.fullmatch("-?[0-9]+|True|False", scalar.expression)
            if argument.base_type == "Scalar" and is_float:
                problems.add(
                    ("samples", position, argument.name),
                    f"{argument.name} is a float, but the tensors are {min(integers)}, so the "
                    "result would have another dtype; write an integer, or float32 tensors",
                )
    for name, formula in formulas.items():
        if formula and is_boolean(kernel.expression, schema):
            fact = "the expression is boolean, which has no gradient; remove the line"
            problems.add(("autograd", name), fact, on_key=True)


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
